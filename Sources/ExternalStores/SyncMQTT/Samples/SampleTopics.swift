internal import HealthDataSync

/// On which topics samples are published: `BASE/PERSON/SOURCE/TYPE`, and for those that were deleted
/// `BASE/PERSON/deleted/TYPE`.
struct SampleTopics: Sendable {
  private let person: String

  init(_ address: MQTTAddress, _ identity: ExternalIdentity) {
    person = "\(address.base)/\(TopicLevel.escaped(identity.person))"
  }

  /// - Parameter source: The bundle identifier, which stays what it is when a source gets another name.
  func sample(type: String, source: String) -> String {
    // A source of that name is not what is deleted.
    let level = source == "deleted" ? "%64eleted" : TopicLevel.escaped(source)
    return "\(person)/\(level)/\(TopicLevel.escaped(type))"
  }

  func deletion(type: String) -> String { "\(person)/deleted/\(TopicLevel.escaped(type))" }
}
