public import Foundation
import HealthStorage

/// A value of an enumeration over an interval, such as a symptom, a sleep stage or an event.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKCategorySample: HKSample, @unchecked Sendable {
  public let categoryType: HKCategoryType
  /// The raw value in the enumeration of the type.
  public let value: Int

  init(_ type: HKCategoryType, value: Int, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    categoryType = type
    self.value = value
    super.init(type, interval, origin)
  }

  override var content: SampleRecord.Content? { .category(value) }

  override var summary: String { "\(categoryType) \(value)" }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(value, forKey: ArchiveKey.value)
  }

  public required init?(coder: NSCoder) {
    guard let type = HKSample.type(from: coder) as? HKCategoryType else { return nil }
    guard let value = coder.integer(forKey: ArchiveKey.value), (try? Self.check(value, type)) != nil else {
      return nil
    }
    categoryType = type
    self.value = value
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let value = "value"
  }
}

// MARK: - Creating samples

extension HKCategorySample {
  /// Returns a new sample after checking values that come from outside the program.
  ///
  /// ```swift
  /// let sleep = try HKCategorySample.validated(
  ///   type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepDeep.rawValue,
  ///   start: start, end: end)
  /// ```
  ///
  /// - Throws: `HKValidationError` if the type has no such value, the end is before the start, the type does
  ///   not allow the duration, or the metadata is invalid or incomplete.
  public class func validated(
    type: HKCategoryType, value: Int, start: Date, end: Date, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKCategorySample {
    try check(value, type)
    let origin = try ObjectOrigin(device: device, metadata: metadata)
    try RequiredMetadata.check(origin.metadata, of: type)
    return HKCategorySample(
      type, value: value, try SampleInterval(start: start, end: end, of: type), origin)
  }

  /// Creates a sample with the given UUID and metadata that has already been checked.
  package static func make(
    uuid: UUID, type: HKCategoryType, value: Int, start: Date, end: Date, device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKCategorySample {
    try check(value, type)
    try RequiredMetadata.check(metadata, of: type)
    return HKCategorySample(
      type, value: value, try SampleInterval(start: start, end: end, of: type),
      ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  fileprivate static func check(_ value: Int, _ type: HKCategoryType) throws(HKValidationError) {
    guard type.traits.values.contains(value) else {
      throw HKValidationError(
        "the value is not compatible with type \(type), whose values are of \(type.traits.enumeration)")
    }
  }
}

extension HKCategorySample {
  private convenience init(as other: HKCategorySample) {
    self.init(other.categoryType, value: other.value, other.interval, other.origin)
  }

  /// Creates a sample.
  /// - Parameters:
  ///   - value: A raw value of the enumeration of the type.
  ///   - start: Must not be after `end`.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
  public convenience init(
    type: HKCategoryType, value: Int, start: Date, end: Date, device: HKDevice?, metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKCategorySample.validated(
          type: type, value: value, start: start, end: end, device: device, metadata: metadata)))
  }

  public convenience init(type: HKCategoryType, value: Int, start: Date, end: Date, metadata: [String: Any]?)
  {
    self.init(type: type, value: value, start: start, end: end, device: nil, metadata: metadata)
  }

  public convenience init(type: HKCategoryType, value: Int, start: Date, end: Date) {
    self.init(type: type, value: value, start: start, end: end, device: nil, metadata: nil)
  }
}
