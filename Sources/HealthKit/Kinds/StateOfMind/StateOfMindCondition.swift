import HealthStorage

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
