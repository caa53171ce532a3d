// Made from Data/identifiers.tsv by scripts/generate. Change the data, not this file.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The name of a scored assessment's type.
public struct HKScoredAssessmentTypeIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKScoredAssessmentTypeIdentifier {
  public static let GAD7 = Self(rawValue: "HKScoredAssessmentTypeIdentifierGAD7")
  public static let PHQ9 = Self(rawValue: "HKScoredAssessmentTypeIdentifierPHQ9")
}

extension HKScoredAssessmentTypeIdentifier {
  /// Every identifier of the table.
  static let all: [Self] = [.GAD7, .PHQ9]
}
