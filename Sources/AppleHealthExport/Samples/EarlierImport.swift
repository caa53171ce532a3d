import Foundation
import HealthKit
import HealthStorage

/// Rules for recognizing samples that earlier imports stored under another UUID.
enum EarlierImport {
  /// Returns the rules.
  /// - Parameter position: The end of the change log when the import began. Samples after this position were
  ///   stored by this import.
  static func matching(after position: Int64) -> ImportMatching {
    ImportMatching(
      position: position, sourcePrefix: RecordIdentity.sourcePrefix,
      recordType: HKQuantityTypeIdentifier.heartRateVariabilitySDNN.rawValue, seriesDistance: seriesDistance,
      areEqual: areEqual, isReplaced: isReplaced, canBelong: canBelong)
  }

  // MARK: - Values

  /// Returns whether two values are equal within the precision of their printed digits. An export prints
  /// values in the unit chosen on the phone. If the user changes the unit, the printed digits change.
  static func areEqual(_ one: ImportMatching.Value, _ other: ImportMatching.Value) -> Bool {
    guard let oneUnit = one.unit, let otherUnit = other.unit else {
      return one.unit == other.unit && one.number == other.number
    }
    guard let oneUnit = try? HKUnit.validated(from: oneUnit),
      let otherUnit = try? HKUnit.validated(from: otherUnit),
      HKQuantity(unit: oneUnit, doubleValue: 0).is(compatibleWith: otherUnit)
    else { return false }
    let bounds = bounds(one.number).map {
      HKQuantity(unit: oneUnit, doubleValue: $0).doubleValue(for: otherUnit)
    }
    let others = Self.bounds(other.number)
    return bounds[0] <= others[1] && others[0] <= bounds[1]
  }

  /// Returns the smallest and the largest value that an export would print as this number. Exports print at
  /// least six significant digits, without trailing zeros.
  private static func bounds(_ number: Double) -> [Double] {
    guard number != 0 else { return [0, 0] }
    let exponent = log10(abs(number)).rounded(.down)
    let digits = min(max(6, significantDigits(number)), 15)
    // Allow slightly less than half a unit in the last digit, so that the ranges of adjacent numbers do not
    // overlap.
    let half = 0.499 * pow(10, exponent - Double(digits - 1))
    return [number - half, number + half]
  }

  private static func significantDigits(_ number: Double) -> Int {
    let digits = "\(abs(number))".prefix { $0 != "e" }.filter { $0 != "." }.drop { $0 == "0" }
    return digits.reversed().drop { $0 == "0" }.count
  }

  // MARK: - Beats

  /// Maximum error of the times that an earlier version of hrgate stored for a heartbeat series, in
  /// microseconds. That version could be wrong about the UTC offset, by up to 26 hours, and about AM or PM,
  /// by 12 hours.
  private static let seriesDistance: Int64 = (26 + 12) * 3600 * 1_000_000
  private static let offsetStep: Int64 = 15 * 60 * 1_000_000

  /// Returns whether `stored` is an outdated copy of `series`, which an earlier version of hrgate imported
  /// from the same record with wrong times. The copy's start and end are then wrong by multiples of 15
  /// minutes, and its UUID is derived from these wrong times.
  static func isReplaced(_ stored: ImportMatching.Series, _ series: ImportMatching.Series) -> Bool {
    guard (stored.start - series.start).isMultiple(of: offsetStep),
      (stored.end - series.end).isMultiple(of: offsetStep)
    else { return false }
    var identity = RecordIdentity()
    let derived = identity.uuid(
      type: HKSeriesType.heartbeat().identifier, source: stored.source, start: stored.start, end: stored.end,
      content: RecordIdentity.content(stored.count))
    return derived == stored.uuid && stored.uuid != series.uuid
  }

  /// Returns whether a series may come from a record: whether it lies inside the record after a shift by a
  /// multiple of 15 minutes. It may start slightly before the record, because a series starts one beat before
  /// the first entry of its beat list.
  private static func canBelong(_ series: ImportMatching.Series, start: Int64, end: Int64) -> Bool {
    let second: Int64 = 1_000_000
    let rest = (series.start - start + 2 * second) % offsetStep
    return (rest < 0 ? rest + offsetStep : rest) <= end - start + 3 * second
  }
}
