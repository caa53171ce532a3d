public import Foundation
import HealthStorage

/// One quantity, measured at an instant or over a time; or a series of them, which
/// `HKQuantitySeriesSampleBuilder` makes and `HKQuantitySeriesSampleQuery` reads one by one.
///
/// A sample is an `HKCumulativeQuantitySample` or an `HKDiscreteQuantitySample`, as its type aggregates,
/// unless a program asks for one of the two by name.
///
/// The initialisers trap where Apple's raise an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
open class HKQuantitySample: HKSample, @unchecked Sendable {
  public let quantityType: HKQuantityType
  /// Of a series the sum, or the average as statistics have it.
  public let quantity: HKQuantity
  /// Of a sample that is a series; in the unit of the quantity.
  let series: QuantitySeries?
  /// How many quantities the sample stands for.
  public var count: Int { series?.count ?? 1 }

  init(
    _ type: HKQuantityType, _ quantity: HKQuantity, _ interval: SampleInterval, _ origin: ObjectOrigin,
    series: QuantitySeries? = nil
  ) {
    quantityType = type
    self.quantity = quantity
    self.series = series
    super.init(type, interval, origin)
  }

  /// A value that is not finite has no place in a store, and a series none without its quantities.
  override var content: SampleRecord.Content? {
    guard quantity.value.isFinite else { return nil }
    guard let series else { return .quantity(value: quantity.value, unit: quantity.unit.unitString) }
    return series.quantities.map { _ in .quantitySeries(series) }
  }

  override var summary: String { quantity.description }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(quantity, forKey: ArchiveKey.quantity)
    coder.encodeFigures(of: series)
  }

  /// An archive has a series without its quantities, which are the store's. Of a series of Apple's it is
  /// known how many quantities it holds, and not under which keys its least and greatest stand: the one
  /// quantity that is known stands for them.
  public required init?(coder: NSCoder) {
    guard let quantity = coder.object(HKQuantity.self, forKey: ArchiveKey.quantity),
      let type = HKSample.type(from: coder) as? HKQuantityType,
      (try? Self.check(quantity, type)) != nil, let interval = HKSample.interval(from: coder, of: type),
      let series = coder.figures(ofSeries: quantity, over: interval)
    else { return nil }
    quantityType = type
    self.quantity = quantity
    self.series = series.object
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let quantity = "quantity"
  }
}

// MARK: - Making samples

extension HKQuantitySample {
  /// A sample of the class that was asked for by its own name, else of the one that its type calls for. A
  /// store gives back the latter.
  class func make(
    _ type: HKQuantityType, _ quantity: HKQuantity, _ interval: SampleInterval, _ origin: ObjectOrigin,
    series: QuantitySeries? = nil
  ) -> HKQuantitySample {
    let isCumulative =
      switch self {
      case is HKCumulativeQuantitySample.Type: true
      case is HKDiscreteQuantitySample.Type: false
      default: type.aggregationStyle == .cumulative
      }
    return isCumulative
      ? HKCumulativeQuantitySample(type, quantity, interval, origin, series: series)
      : HKDiscreteQuantitySample(type, quantity, interval, origin, series: series)
  }

  /// A new sample with an origin of the caller's.
  class func make(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, origin: ObjectOrigin
  ) throws(HKValidationError) -> HKQuantitySample {
    try check(quantity, type)
    try RequiredMetadata.check(origin.metadata, of: type)
    return make(type, quantity, try SampleInterval(start: start, end: end, of: type), origin)
  }

  /// With a UUID of the caller's and metadata that is already checked.
  package static func make(
    uuid: UUID, type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKQuantitySample {
    try make(
      type: type, quantity: quantity, start: start, end: end,
      origin: ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  /// A new sample, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKQuantitySample {
    try make(
      type: type, quantity: quantity, start: start, end: end,
      origin: try ObjectOrigin(device: device, metadata: metadata))
  }

  static func check(
    _ quantity: HKQuantity, _ type: HKQuantityType
  ) throws(HKValidationError) {
    guard type.is(compatibleWith: quantity.unit) else {
      throw HKValidationError(
        "HKQuantitySample of type \(type) requires a unit compatible with \(type.canonicalUnit). "
          + "Incompatible unit: \(quantity.unit)")
    }
  }
}

extension HKInitializable where Self: HKQuantitySample {
  /// - Parameters:
  ///   - quantity: finite, in a unit that fits the type.
  ///   - start: not after `end`.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier needs a sync version.
  public init(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice?,
    metadata: [String: Any]?
  ) {
    self.init(
      instance: requiring(
        try Self.validated(
          type: type, quantity: quantity, start: start, end: end, device: device, metadata: metadata)))
  }

  public init(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, metadata: [String: Any]?
  ) {
    self.init(type: type, quantity: quantity, start: start, end: end, device: nil, metadata: metadata)
  }

  public init(type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date) {
    self.init(type: type, quantity: quantity, start: start, end: end, device: nil, metadata: nil)
  }
}
