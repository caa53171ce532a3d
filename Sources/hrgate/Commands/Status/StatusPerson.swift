import HealthKit

/// The person whose monitors `hrgate status` shows.
struct StatusPerson {
  /// The part of a gateway's status that is shown.
  struct Part: Sendable {
    /// The status, with only the monitors of the chosen person.
    var status: GatewayStatus
    /// The name of the chosen person, or `owner` for the account owner; `nil` for all people.
    var person: String?
  }

  /// The name of the chosen person; `nil` for all people.
  private let name: PersonName?

  /// - Parameters:
  ///   - person: The value of the option. If `nil`, the settings decide.
  ///   - ofAnother: Whether the gateway belongs to another user, whose people are unknown here.
  /// - Throws: `ConfigurationError`; ``CommandError`` if the person does not exist.
  init(_ person: String?, ofAnother: Bool) throws {
    if ofAnother {
      name = try person.map { name in
        try PersonError.translating { () throws(PersonError) in try PersonName(name) }
      }
      return
    }
    switch try StoreChoice(path: nil, person: person, Settings.current) {
    case .person(let person): name = person
    case .owner(file: _, isNamed: true):
      name = try PersonError.translating { () throws(PersonError) in try PersonName("owner") }
    case .owner, .file: name = nil
    }
  }

  func part(of status: GatewayStatus) -> Part {
    guard let name else { return Part(status: status) }
    var status = status
    status.monitors.removeAll { monitor in
      guard let person = monitor.person else { return !name.isOwner }
      return (try? PersonName(person)) != name
    }
    return Part(status: status, person: name.isOwner ? "owner" : name.text)
  }
}
