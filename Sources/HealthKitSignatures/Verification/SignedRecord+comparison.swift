import HealthKit

extension SignedRecord {
  /// Returns the fields in which another record differs from this signed one.
  ///
  /// Compares types by bytes, dates to the microsecond, units by meaning (`count/min` and `min^-1·count` are
  /// the same unit), and values as numbers. A converted quantity counts as altered: 1 count/s differs from
  /// the signed 60 count/min in both value and unit.
  func alterations(in found: SignedRecord) -> [Alteration] {
    RecordField.allCases.filter { !isSame($0, as: found) }.map {
      Alteration(field: $0, signed: text(of: $0), found: found.text(of: $0))
    }
  }

  private func isSame(_ field: RecordField, as other: SignedRecord) -> Bool {
    switch field {
    // `==` would treat canonically equivalent Unicode texts as equal.
    case .type: type.utf8.elementsEqual(other.type.utf8)
    case .value: hasSameNumber(as: other)
    case .unit: unitText == other.unitText || hasSameUnit(as: other)
    case .startDate: startInstant == other.startInstant
    case .endDate: endInstant == other.endInstant
    }
  }

  private func hasSameNumber(as other: SignedRecord) -> Bool {
    if case .quantity(let own, _) = value, case .quantity(let others, _) = other.value {
      // `==` would treat 0 and -0 as equal, but they are encoded differently.
      return own.bitPattern == others.bitPattern
    }
    return numberText == other.numberText
  }

  private func hasSameUnit(as other: SignedRecord) -> Bool {
    guard let own = unitText, let others = other.unitText, let unit = try? HKUnit.validated(from: own),
      let otherUnit = try? HKUnit.validated(from: others)
    else { return false }
    return unit == otherUnit
  }

  private func text(of field: RecordField) -> String? {
    switch field {
    case .type: type
    case .value: numberText
    case .unit: unitText
    case .startDate: startInstant.text
    case .endDate: endInstant.text
    }
  }

  private var unitText: String? {
    if case .quantity(_, let unit) = value { unit } else { nil }
  }

  private var numberText: String {
    switch value {
    case .quantity(let number, _): DecimalText.of(number)
    case .category(let number): "\(number)"
    }
  }
}
