/// Checks whether a gateway runs on each store, and the service that keeps it running.
enum ServiceCheck {
  private static let name = "service"

  /// Returns the findings for all stores.
  ///
  /// - Parameters:
  ///   - people: The stores of other people, which the same gateway follows.
  ///   - monitors: The monitors of all stores. A store without monitors needs no gateway.
  static func findings(
    _ service: ServiceFacts, _ store: StoreFacts, people: [StoreFacts] = [],
    monitors: [EnrolmentFacts] = []
  ) -> [Finding] {
    let running = ([store] + people).first(where: \.hasGateway)
    let others = people.filter { person in
      person.hasGateway || monitors.contains { $0.person == person.person }
    }.map { follows($0) ?? unfollowed($0, running, service) }
    return main(service, store, running, monitors) + others
  }

  private static func main(
    _ service: ServiceFacts, _ store: StoreFacts, _ running: StoreFacts?, _ monitors: [EnrolmentFacts]
  ) -> [Finding] {
    if var follows = follows(store) {
      follows.text += status(service)
      return [follows]
    }
    if running != nil {
      return monitors.contains { $0.person == store.person } ? [unfollowed(store, running, service)] : []
    }
    guard case .units(let units) = service,
      case let used = units.filter({ $0.value.isEnabled || $0.value.state != "inactive" }), !used.isEmpty
    else {
      return [Finding(name, .warn, "no gateway runs on the store", advice: "Start one: \(start(service))")]
    }
    return used.sorted { $0.key < $1.key }.map { unit, facts in
      // A unit with @ in its name is an instance of the system service, so its commands need no --user.
      let user = unit.contains("@") ? "" : "--user "
      return switch facts.state {
      case "failed":
        Finding(name, of: unit, .fail, "it failed", advice: "See why: journalctl \(user)-u \(unit)")
      case "active":
        Finding(
          name, of: unit, .warn, "it runs, but not on this store",
          advice: "Check its store with systemctl \(user)cat \(unit), then give it with --store PATH")
      default:
        Finding(
          name, of: unit, .warn, "it is \(facts.state), and no gateway runs",
          advice: "Start it: \(enabling(unit)). If it does not start: journalctl \(user)-u \(unit)")
      }
    }
  }

  /// Whether the gateway starts at boot or login.
  private static func status(_ service: ServiceFacts) -> String {
    guard case .units(let units) = service, !units.isEmpty else { return "" }
    let enabled = units.filter(\.value.isEnabled).keys.sorted()
    return enabled.isEmpty
      ? "; its service is not enabled (\(start(service)))"
      : "; enabled: " + enabled.joined(separator: ", ")
  }

  /// Returns the command that starts a gateway. If several services are installed, it starts the system
  /// service, which runs from boot on.
  private static func start(_ service: ServiceFacts) -> String {
    guard case .units(let units) = service, let unit = units.keys.sorted().last else { return "hrgate run" }
    return enabling(unit)
  }

  private static func enabling(_ unit: String) -> String {
    let manager = unit.contains("@") ? "sudo systemctl" : "systemctl --user"
    return "\(manager) enable --now \(unit.replacing(".service", with: ""))"
  }

  private static func follows(_ store: StoreFacts) -> Finding? {
    guard store.hasGateway else { return nil }
    return Finding(name, of: store.person, .ok, "\(gateway(of: store)) records the monitors")
  }

  private static func gateway(of store: StoreFacts) -> String {
    "a gateway" + (store.gateway.map { " (process \($0))" } ?? "")
  }

  /// Returns a finding for a store that the running gateway does not follow.
  ///
  /// - Parameter running: A store that a gateway runs on.
  private static func unfollowed(
    _ store: StoreFacts, _ running: StoreFacts?, _ service: ServiceFacts
  ) -> Finding {
    let whose = store.person.map { "\($0)'s" } ?? "the owner's"
    guard let running else {
      return Finding(
        name, of: store.person, .warn, "no gateway records \(whose) monitors",
        advice: "Start one, which records the monitors of all people: \(start(service))")
    }
    return Finding(
      name, of: store.person, .warn,
      "\(gateway(of: running)) runs, but does not record \(whose) monitors",
      advice:
        "If it runs with --person or --store, start it without. Otherwise its log and hrgate status say why it cannot use the store."
    )
  }
}
