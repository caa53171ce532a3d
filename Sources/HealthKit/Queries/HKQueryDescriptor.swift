public import Foundation

/// A sample type and a predicate on its samples, for queries that span several types.
public final class HKQueryDescriptor: NSObject, Sendable {
  public let sampleType: HKSampleType
  let translation: PredicateTranslation?

  public init(sampleType: HKSampleType, predicate: NSPredicate?) {
    self.sampleType = sampleType
    translation = predicate.map(PredicateTranslation.init)
  }

  /// An equivalent of the predicate given.
  public var predicate: NSPredicate? { translation?.predicate }
}
