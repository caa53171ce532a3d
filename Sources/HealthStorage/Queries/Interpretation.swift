package import Foundation

/// A condition of the layer above, as the engine passes it on: bytes that only the maker reads.
package struct EncodedCondition: Hashable, Sendable {
  package let bytes: Data

  package init(_ bytes: Data) {
    self.bytes = bytes
  }
}

/// What the layer above makes of values that the engine keeps and does not understand.
///
/// Filters call it from SQL, so that a query and a search in memory run the same code. It must answer the
/// same each time, and quickly; it is called on the threads of readers and of the writer at once.
package struct Interpretation: Sendable {
  /// The metadata key that marks samples: those with `true` under it.
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

  /// Knows nothing: for who asks with no such condition.
  package static let none = Interpretation(
    metadataSatisfy: { _, _ in false }, archiveSatisfies: { _, _ in false },
    containerSatisfies: { _, _, _ in false })
}
