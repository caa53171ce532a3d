/// Matches source revisions by some of their fields.
package struct RevisionPattern: Hashable, Sendable {
  /// The condition on a field.
  package enum Match<Value: Hashable & Sendable>: Hashable, Sendable {
    case anything
    case exactly(Value)
  }

  /// The bundle identifier.
  package var source: String
  package var version: Match<String?>
  package var productType: Match<String?>
  /// "major.minor.patch".
  package var operatingSystem: Match<String>

  package init(
    source: String, version: Match<String?>, productType: Match<String?>, operatingSystem: Match<String>
  ) {
    self.source = source
    self.version = version
    self.productType = productType
    self.operatingSystem = operatingSystem
  }
}
