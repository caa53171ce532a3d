package import Foundation

/// A condition encoded by HealthKit's code. It is passed to an ``Interpretation`` without being decoded here.
package struct EncodedCondition: Hashable, Sendable {
  package let bytes: Data

  package init(_ bytes: Data) {
    self.bytes = bytes
  }
}

/// The functions that evaluate conditions on values that this target stores but does not decode, such as
/// archives. The target HealthKit provides them.
///
/// They are called from SQL, so that queries and filters in memory share one implementation. They must be
/// fast, and may be called on several threads at once. `metadataSatisfy` must be deterministic.
package struct Interpretation: Sendable {
  /// The metadata key that marks samples, such as manually entered samples, which take priority in sums. A
  /// sample is marked if its value for this key is true.
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

  /// Functions that always return false, for a store that is used without conditions on metadata and
  /// archives.
  package static let none = Interpretation(
    metadataSatisfy: { _, _ in false }, archiveSatisfies: { _, _ in false },
    containerSatisfies: { _, _, _ in false })
}
