import HealthStorage

/// A condition on the metadata value of one key. It does not hold if the key is absent.
///
/// There is no condition for `!=`: that is the opposite of `==` and holds if the key is absent.
struct MetadataCondition: Hashable, Codable, Sendable {
  /// A relation between values of different kinds, such as a text and a number, does not hold.
  enum Relation: Hashable, Codable, Sendable {
    /// The key is present.
    case present
    case isOneOf(AllowedMetadata)
    case compares(ValueComparison, MetadataValue)
    /// Both ends included.
    case lies(from: MetadataValue, to: MetadataValue)
    case text(TextRelation, String, TextFolding)
  }

  let key: String
  let relation: Relation

  func holds(_ values: [String: MetadataValue]) -> Bool {
    values[key].map(holds) ?? false
  }

  private func holds(_ value: MetadataValue) -> Bool {
    switch relation {
    case .present:
      return true
    case .isOneOf(let allowed):
      return allowed.contains(value)
    case .compares(let comparison, let other):
      return value.order(to: other).map(comparison.holds) ?? false
    case .lies(let from, let to):
      guard let toFirst = value.order(to: from), let toLast = value.order(to: to) else { return false }
      return toFirst != .orderedAscending && toLast != .orderedDescending
    case .text(let relation, let other, let folding):
      guard case .string(let text) = value else { return false }
      return relation.holds(folding.folded(text), folding.folded(other))
    }
  }

  var filter: SampleFilter { .metadata(EncodedCondition(self)) }
}
