public import Foundation
public import HealthKit

/// A copy of the data of a sample that a digital signature covers: its type, value, unit, start and end.
///
/// `derEncoded` describes the encoding.
public struct SignedRecord: Hashable, Sendable {
  /// The value of a sample.
  public enum Value: Hashable, Sendable {
    /// The number and unit of a quantity, exactly as in the sample.
    case quantity(Double, unit: String)
    /// The value of a category sample, without a unit.
    case category(Int)
  }

  /// The raw value of the type's identifier.
  public let type: String
  public let value: Value
  let startInstant: UTCInstant
  let endInstant: UTCInstant

  /// Creates a record.
  ///
  /// - Throws: `unsignableRecord` if the end precedes the start or the value is not finite.
  init(type: String, value: Value, start: UTCInstant, end: UTCInstant) throws(SignatureError) {
    guard start <= end else { throw SignatureError(.unsignableRecord, "the end precedes the start") }
    if case .quantity(let number, _) = value, !number.isFinite {
      throw SignatureError(.unsignableRecord, "the value is not finite")
    }
    self.type = type
    self.value = value
    startInstant = start
    endInstant = end
  }
}

/// A description without the value, so that it can be logged.
extension SignedRecord: CustomStringConvertible {
  public var description: String { "signed record of \(type)" }
}

extension SignedRecord {
  /// Creates a record.
  ///
  /// - Parameters:
  ///   - start: A date in the years 1 to 9999 that is not after `end`. Dates are rounded to microseconds, as
  ///     in the store.
  /// - Throws: `unsignableRecord` for a date out of range or a value that is not finite.
  public init(type: String, value: Value, start: Date, end: Date) throws(SignatureError) {
    guard let start = UTCInstant(start), let end = UTCInstant(end) else {
      throw SignatureError(.unsignableRecord, "a date is outside the years 1 to 9999")
    }
    try self.init(type: type, value: value, start: start, end: end)
  }

  public var start: Date { startInstant.date }
  public var end: Date { endInstant.date }
}

extension SignedRecord {
  /// Creates the record of a quantity sample.
  ///
  /// - Throws: `unsignableRecord` for a date outside the years 1 to 9999, or a value that is not finite.
  public init(_ sample: HKQuantitySample) throws(SignatureError) {
    let quantity = sample.quantity
    try self.init(
      type: sample.quantityType.identifier,
      value: .quantity(quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString),
      start: sample.startDate, end: sample.endDate)
  }

  /// Creates the record of a category sample.
  ///
  /// - Throws: `unsignableRecord` for a date outside the years 1 to 9999.
  public init(_ sample: HKCategorySample) throws(SignatureError) {
    try self.init(
      type: sample.categoryType.identifier, value: .category(sample.value), start: sample.startDate,
      end: sample.endDate)
  }

  /// Creates the record of a sample.
  ///
  /// - Throws: `unsignableRecord`; `unsupportedSample` for a sample that does not have exactly one value,
  ///   such as a heartbeat series.
  public init(sample: HKSample) throws(SignatureError) {
    switch sample {
    case let sample as HKQuantitySample: try self.init(sample)
    case let sample as HKCategorySample: try self.init(sample)
    default:
      throw SignatureError(.unsupportedSample, "samples of type \(sample.sampleType) cannot be signed")
    }
  }
}

/// A field of a signed record. The raw value is its key in the signed content.
public enum RecordField: String, CaseIterable, Hashable, Sendable {
  case type
  case value
  case unit
  case startDate
  case endDate
}
