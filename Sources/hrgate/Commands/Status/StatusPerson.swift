import HealthKit

/// Of whom `hrgate status` is to tell.
struct StatusPerson {
  /// What a gateway says, as far as it is about somebody.
  struct Part: Sendable {
    /// With the monitors of those of whom it is told.
    var status: GatewayStatus
    /// `owner` for the owner; `nil` where it is everybody.
    var person: String?
  }

  /// `nil` where it is everybody.
  private let name: PersonName?

  /// - Parameters:
  ///   - person: As the option has it; without it the settings say.
  ///   - ofAnother: The gateway is that of another user, of whose people nothing is known here.
  /// - Throws: `ConfigurationFault`; ``Failure`` for a person that there is not.
  init(_ person: String?, ofAnother: Bool) throws {
    if ofAnother {
      name = try person.map { name in try PersonFault.told { () throws(PersonFault) in try PersonName(name) }
      }
      return
    }
    switch try StoreChoice(path: nil, person: person, Settings.current) {
    case .person(let person): name = person
    case .owner(file: _, isNamed: true):
      name = try PersonFault.told { () throws(PersonFault) in try PersonName("owner") }
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
