public import Foundation
import HealthStorage

extension HKQuery {
  /// Samples that no correlation holds. Only a store knows them: in memory no sample belongs to a
  /// correlation.
  public class func predicateForObjectsWithNoCorrelation() -> NSPredicate {
    FilterPredicate(.not(.held(byTypes: Set(HKCorrelationTypeIdentifier.all.map(\.rawValue)))))
  }
}
