public import Foundation
import HealthStorage

/// A sample type together with a predicate on its samples; what the query descriptors ask for.
public struct HKSamplePredicate<Sample: HKSample>: Equatable, Hashable, Sendable {
  public let sampleType: HKSampleType
  let translation: PredicateTranslation?

  /// An equivalent of the predicate given. (It is kept in the store's own form, since `NSPredicate` must not cross
  /// threads.)
  public var nsPredicate: NSPredicate? { translation?.predicate }

  init(_ type: HKSampleType, _ predicate: NSPredicate?) {
    sampleType = type
    translation = predicate.map(PredicateTranslation.init)
  }

  var filter: SampleFilter {
    get throws(HKError) { try .samples(of: sampleType, translation) }
  }
}

extension SampleFilter {
  static func samples(of type: HKSampleType, _ predicate: PredicateTranslation?) throws(HKError)
    -> SampleFilter
  {
    .all([.type(type.identifier), try predicate?.filter ?? .everything])
  }
}

extension HKSamplePredicate {
  public static func quantitySample(
    type: HKQuantityType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKQuantitySample> {
    HKSamplePredicate<HKQuantitySample>(type, predicate)
  }

  public static func heartbeatSeries(
    _ predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKHeartbeatSeriesSample> {
    HKSamplePredicate<HKHeartbeatSeriesSample>(HKSeriesType.heartbeat(), predicate)
  }

  public static func sample(type: HKSampleType, predicate: NSPredicate? = nil) -> HKSamplePredicate<HKSample>
  {
    HKSamplePredicate<HKSample>(type, predicate)
  }
}
