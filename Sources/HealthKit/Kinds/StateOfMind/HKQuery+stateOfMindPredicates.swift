public import Foundation
import HealthStorage

extension HKQuery {
  public class func predicateForStatesOfMind(with association: HKStateOfMind.Association) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.association(association.rawValue)).filter)
  }

  public class func predicateForStatesOfMind(with kind: HKStateOfMind.Kind) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.kind(kind.rawValue)).filter)
  }

  public class func predicateForStatesOfMind(with label: HKStateOfMind.Label) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.label(label.rawValue)).filter)
  }

  /// Traps on an operator that does not compare.
  /// - Parameter valence: from −1, very unpleasant, to 1, very pleasant.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForStatesOfMind(
    withValence valence: Double, operatorType: NSComparisonPredicate.Operator
  ) -> NSPredicate {
    FilterPredicate(
      SampleCondition.stateOfMind(.valence(requiring(try ValueComparison(operatorType)), valence)).filter)
  }
}
