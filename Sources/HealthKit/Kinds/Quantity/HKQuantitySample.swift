public import Foundation
import HealthStorage

/// A quantity measured at an instant or over an interval, or a series of quantities.
///
/// `HKQuantitySeriesSampleBuilder` creates series and `HKQuantitySeriesSampleQuery` reads their quantities. A
/// sample is an `HKCumulativeQuantitySample` or an `HKDiscreteQuantitySample`, depending on the aggregation
/// style of its type. A program can also create an instance of one of the two classes explicitly.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
///
/// ```swift
/// let heartRate = HKQuantitySample(
///   type: HKQuantityType(.heartRate),
///   quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72), start: .now, end: .now)
/// ```
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKQuantitySample: HKSample, @unchecked Sendable {
  public let quantityType: HKQuantityType
  /// The quantity. For a series, it is the sum, or the average as statistics compute it.
  public let quantity: HKQuantity
  /// The quantities of a series, in the unit of `quantity`; nil if the sample is not a series.
  let series: QuantitySeries?
  /// The number of quantities in the sample.
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

  /// The content to store. Nil if the value is not finite, or if the sample is a series whose quantities were
  /// not read.
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

  /// Decodes a sample. An archive of a series does not contain its quantities.
  ///
  /// Apple's archives contain the number of quantities in a series, but store the minimum and maximum under
  /// unknown keys. In that case, the sum or average is used for both.
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

// MARK: - Creating samples

extension HKQuantitySample {
  /// Creates a sample of the class on which it is called. If that is `HKQuantitySample`, the type's
  /// aggregation style determines the class, as for samples returned by a store.
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

  /// Creates a sample with the given UUID, device, metadata and source.
  class func make(
    type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, origin: ObjectOrigin
  ) throws(HKValidationError) -> HKQuantitySample {
    try check(quantity, type)
    try RequiredMetadata.check(origin.metadata, of: type)
    return make(type, quantity, try SampleInterval(start: start, end: end, of: type), origin)
  }

  /// Creates a sample with the given UUID and metadata that has already been checked.
  package static func make(
    uuid: UUID, type: HKQuantityType, quantity: HKQuantity, start: Date, end: Date, device: HKDevice?,
    metadata: ObjectMetadata?
  ) throws(HKValidationError) -> HKQuantitySample {
    try make(
      type: type, quantity: quantity, start: start, end: end,
      origin: ObjectOrigin(uuid: uuid, device: device, metadata: metadata))
  }

  /// Returns a new sample after checking values that come from outside the program.
  ///
  /// ```swift
  /// let sample = try HKQuantitySample.validated(
  ///   type: HKQuantityType(.heartRate),
  ///   quantity: HKQuantity(unit: try HKUnit.validated(from: "count/min"), doubleValue: 72),
  ///   start: .now, end: .now)
  /// ```
  /// - Throws: `HKValidationError` if the unit does not fit the type, the end is before the start, the type
  ///   does not allow the duration, or the metadata is invalid.
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
  /// Creates a sample.
  /// - Parameters:
  ///   - quantity: Must be finite and in a unit compatible with the type.
  ///   - start: Must not be after `end`.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
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

// MARK: - Cumulative and discrete samples

/// A sample of a type whose values are summed.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKCumulativeQuantitySample: HKQuantitySample, @unchecked Sendable {
  public var sumQuantity: HKQuantity { quantity }
}

/// A cumulative sample that contains many quantities. This module creates no instances of this class, because
/// any cumulative sample can contain many quantities.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
@available(*, deprecated, renamed: "HKCumulativeQuantitySample")
public final class HKCumulativeQuantitySeriesSample: HKCumulativeQuantitySample, @unchecked Sendable {
  public var sum: HKQuantity { sumQuantity }
}

/// A sample of a type whose values are not summed. If the sample is not a series, its value is also its
/// minimum, maximum and most recent quantity.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKDiscreteQuantitySample: HKQuantitySample, @unchecked Sendable {
  public var minimumQuantity: HKQuantity { series.map { quantity($0.minimum) } ?? quantity }
  /// The average, weighted as in the statistics of the type.
  public var averageQuantity: HKQuantity { quantity }
  public var maximumQuantity: HKQuantity { series.map { quantity($0.maximum) } ?? quantity }
  /// The quantity with the latest end.
  public var mostRecentQuantity: HKQuantity { series.map { quantity($0.latest.value) } ?? quantity }

  /// When the most recent quantity was measured.
  public var mostRecentQuantityDateInterval: DateInterval {
    series.map { DateInterval($0.latest) } ?? DateInterval(start: startDate, end: max(startDate, endDate))
  }

  private func quantity(_ value: Double) -> HKQuantity { HKQuantity(unit: quantity.unit, doubleValue: value) }
}

// MARK: - Predicates

extension HKQuery {
  /// Returns a predicate that compares the quantity of samples with the given one, using a comparison
  /// operator.
  ///
  /// A quantity in an incompatible unit does not match, and nothing matches NaN. Quantities in the same unit
  /// are compared as numbers, others after conversion, as by `HKQuantity`. Traps if the operator is not a
  /// comparison.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForQuantitySamples(
    with operatorType: NSComparisonPredicate.Operator, quantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .quantity(
        requiring(try ValueComparison(operatorType)), value: quantity.value, unit: quantity.unit.unitString))
  }
}
