public import Foundation
import HealthStorage

/// One quantity, measured at an instant or over a time.
///
/// A query returns it as `HKCumulativeQuantitySample` or `HKDiscreteQuantitySample`, as the type aggregates. (With
/// Apple's framework a new sample is of the subclass too; a Swift initialiser cannot do that.)
///
/// The initialisers trap where Apple's raise an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
public class HKQuantitySample: HKSample, @unchecked Sendable {
  public let quantityType: HKQuantityType
  public let quantity: HKQuantity
  /// How many quantities the sample stands for.
  public var count: Int { 1 }

  required init(
    uuid: UUID, type: HKQuantityType, quantity: HKQuantity, interval: Interval, device: HKDevice?,
    metadata: ObjectMetadata?, revision: HKSourceRevision?
  ) {
    quantityType = type
    self.quantity = quantity
    super.init(
      uuid: uuid, type: type, interval: interval, device: device, metadata: metadata, revision: revision)
  }

  /// With a UUID of the caller's and metadata that is already checked.
  package convenience init(
    uuid: UUID, type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) {
    try Self.check(quantity, type)
    self.init(
      uuid: uuid, type: type, quantity: quantity, interval: try Interval(start: start, end: end),
      device: device, metadata: metadata, revision: nil)
  }

  /// - Parameters:
  ///   - quantity: finite, in a unit that fits the type.
  ///   - start: not after `end`.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier comes with a sync version.
  public convenience init(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice?,
    metadata: [String: Any]?
  ) {
    let (interval, metadata) = requiring { () throws(HKValidationError) in
      try Self.check(quantity, type)
      return (try Interval(start: start, end: end), try ObjectMetadata.validated(metadata))
    }
    self.init(
      uuid: .timeOrdered(), type: type, quantity: quantity, interval: interval, device: device,
      metadata: metadata, revision: nil)
  }

  public convenience init(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, metadata: [String: Any]?
  ) {
    self.init(type: type, quantity: quantity, start: start, end: end, device: nil, metadata: metadata)
  }

  public convenience init(type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date) {
    self.init(type: type, quantity: quantity, start: start, end: end, device: nil, metadata: nil)
  }

  /// A new sample, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKQuantitySample {
    try HKQuantitySample(
      uuid: .timeOrdered(), type: type, quantity: quantity, start: start, end: end, device: device,
      metadata: try ObjectMetadata.validated(metadata))
  }

  override var content: SampleRecord.Content? {
    .quantity(value: quantity.value, unit: quantity.unit.unitString)
  }

  private static func check(_ quantity: HKQuantity, _ type: HKQuantityType) throws(HKValidationError) {
    guard type.is(compatibleWith: quantity.unit) else {
      throw HKValidationError(
        "\(type) requires a unit compatible with \(type.canonicalUnit); \(quantity.unit) is not")
    }
    guard quantity.value.isFinite else { throw HKValidationError("a quantity of \(type) must be finite") }
  }
}
