package import Foundation

/// A condition of the layer above. The engine passes it on without decoding it.
package struct EncodedCondition: Hashable, Sendable {
  package let bytes: Data

  package init(_ bytes: Data) {
    self.bytes = bytes
  }
}

/// Evaluates values that the engine stores without understanding them, for the layer above.
///
/// Filters call it from SQL, so that queries and searches in memory share one implementation. It must be
/// deterministic and fast, and may be called by several threads at once.
package struct Interpretation: Sendable {
  /// The metadata key that marks samples: a sample is marked if the value is true.
  let markingKey: String?
  let metadataSatisfy: @Sendable ([String: MetadataValue], EncodedCondition) -> Bool
  let archiveSatisfies: @Sendable (Data, EncodedCondition) -> Bool
  let containerSatisfies: @Sendable (Data, AssociatedQuantities, EncodedCondition) -> Bool

  package init(
    markingKey: String? = nil,
    metadataSatisfy: @escaping @Sendable ([String: MetadataValue], EncodedCondition) -> Bool,
    archiveSatisfies: @escaping @Sendable (Data, EncodedCondition) -> Bool,
    containerSatisfies: @escaping @Sendable (Data, AssociatedQuantities, EncodedCondition) -> Bool
  ) {
    self.markingKey = markingKey
    self.metadataSatisfy = metadataSatisfy
    self.archiveSatisfies = archiveSatisfies
    self.containerSatisfies = containerSatisfies
  }

  /// Satisfies nothing; for stores that are used without such conditions.
  package static let none = Interpretation(
    metadataSatisfy: { _, _ in false }, archiveSatisfies: { _, _ in false },
    containerSatisfies: { _, _, _ in false })
}
