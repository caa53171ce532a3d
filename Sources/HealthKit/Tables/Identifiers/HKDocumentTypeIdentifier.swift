// Made from Data/identifiers.tsv by scripts/generate. Change the data, not this file.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The name of a document type.
public struct HKDocumentTypeIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKDocumentTypeIdentifier {
  public static let CDA = Self(rawValue: "HKDocumentTypeIdentifierCDA")
}

extension HKDocumentTypeIdentifier {
  /// Every identifier of the table.
  static let all: [Self] = [.CDA]
}
