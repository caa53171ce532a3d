import HealthKit

extension SignedRecord {
  /// The fields in which another record differs from this, the signed one.
  ///
  /// Each is compared by itself: type to the character, dates to the microsecond, units by meaning
  /// (`count/min` and `min^-1·count` are one unit), values as the numbers that they are. A quantity that was
  /// converted, say from 60 count/min to 1 count/s, is therefore altered in its unit and its value: it is not
  /// the record that was signed.
  func alterations(in found: SignedRecord) -> [Alteration] {
    RecordField.allCases.filter { !isSame($0, as: found) }.map {
      Alteration(field: $0, signed: text(of: $0), found: found.text(of: $0))
    }
  }

  private func isSame(_ field: RecordField, as other: SignedRecord) -> Bool {
    switch field {
    // Not ==, for which two ways to write one character are the same.
    case .type: type.utf8.elementsEqual(other.type.utf8)
    case .value: hasSameNumber(as: other)
    case .unit: unitText == other.unitText || hasSameUnit(as: other)
    case .startDate: startInstant == other.startInstant
    case .endDate: endInstant == other.endInstant
    }
  }

  private func hasSameNumber(as other: SignedRecord) -> Bool {
    if case .quantity(let own, _) = value, case .quantity(let others, _) = other.value {
      // Not ==, for which 0 is -0: the one was signed and not the other.
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
