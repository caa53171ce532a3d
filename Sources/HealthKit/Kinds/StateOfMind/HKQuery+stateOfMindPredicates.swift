public import Foundation
import HealthStorage

extension HKQuery {
  /// Returns a predicate for states of mind with the given association.
  public class func predicateForStatesOfMind(with association: HKStateOfMind.Association) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.association(association.rawValue)).filter)
  }

  /// Returns a predicate for states of mind of the given kind.
  public class func predicateForStatesOfMind(with kind: HKStateOfMind.Kind) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.kind(kind.rawValue)).filter)
  }

  /// Returns a predicate for states of mind with the given label.
  public class func predicateForStatesOfMind(with label: HKStateOfMind.Label) -> NSPredicate {
    FilterPredicate(SampleCondition.stateOfMind(.label(label.rawValue)).filter)
  }

  /// Returns a predicate that compares the valence of states of mind with the given one, using a comparison
  /// operator. Traps if the operator is not a comparison.
  /// - Parameter valence: From −1 (very unpleasant) to 1 (very pleasant).
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForStatesOfMind(
    withValence valence: Double, operatorType: NSComparisonPredicate.Operator
  ) -> NSPredicate {
    FilterPredicate(
      SampleCondition.stateOfMind(.valence(requiring(try ValueComparison(operatorType)), valence)).filter)
  }
}

/// A condition on a state of mind, with the raw value of its kind, label or association.
enum StateOfMindCondition: Hashable, Codable, Sendable {
  case kind(Int)
  case label(Int)
  case association(Int)
  case valence(ValueComparison, Double)

  func holds(_ state: HKStateOfMind) -> Bool {
    switch self {
    case .kind(let value): state.kind.rawValue == value
    case .label(let value): state.labels.contains { $0.rawValue == value }
    case .association(let value): state.associations.contains { $0.rawValue == value }
    case .valence(let comparison, let value): comparison.holds(state.valence, value)
    }
  }
}
