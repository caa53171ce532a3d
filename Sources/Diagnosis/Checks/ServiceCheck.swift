/// Whether a gateway runs on each store, and the service that keeps it running.
enum ServiceCheck {
  private static let name = "service"

  /// - Parameters:
  ///   - people: The stores of people beside it, which one gateway follows with it.
  ///   - monitors: Of all of them. Who has none is not followed, and nobody minds.
  static func findings(
    _ service: ServiceFacts, _ store: StoreFacts, people: [StoreFacts] = [],
    monitors: [EnrolmentFacts] = []
  ) -> [Finding] {
    let running = ([store] + people).first(where: \.hasGateway)
    let others = people.filter { person in
      person.hasGateway || monitors.contains { $0.person == person.person }
    }.map { follows($0) ?? unfollowed($0, running) }
    return main(service, store, running, monitors) + others
  }

  private static func main(
    _ service: ServiceFacts, _ store: StoreFacts, _ running: StoreFacts?, _ monitors: [EnrolmentFacts]
  ) -> [Finding] {
    if let follows = follows(store) { return [follows] }
    if running != nil {
      return monitors.contains { $0.person == store.person } ? [unfollowed(store, running)] : []
    }
    guard case .units(let units) = service, !units.isEmpty else {
      return [Finding(name, .warn, "no gateway runs on the store", advice: "Start one: hrgate run")]
    }
    return units.sorted { $0.key < $1.key }.map { unit, state in
      // An instance is the machine's, and has another manager and journal.
      let user = unit.contains("@") ? "" : "--user "
      return switch state {
      case "failed":
        Finding(name, of: unit, .fail, "it failed", advice: "See why: journalctl \(user)-u \(unit)")
      case "active":
        Finding(
          name, of: unit, .warn, "it runs, and not on this store",
          advice: "Name the store that it uses: systemctl \(user)cat \(unit), then --store PATH")
      default:
        Finding(
          name, of: unit, .warn, "it is \(state), and no gateway runs",
          advice: "Start it: \(user.isEmpty ? "sudo hrgate service enable" : "hrgate service enable --user")")
      }
    }
  }

  private static func follows(_ store: StoreFacts) -> Finding? {
    guard store.hasGateway else { return nil }
    return Finding(name, of: store.person, .ok, "\(gateway(of: store)) follows the monitors")
  }

  private static func gateway(of store: StoreFacts) -> String {
    "a gateway" + (store.gateway.map { " (process \($0))" } ?? "")
  }

  /// - Parameter running: A store that a gateway runs on.
  private static func unfollowed(_ store: StoreFacts, _ running: StoreFacts?) -> Finding {
    let whose = store.person.map { "\($0)'s" } ?? "the owner's"
    guard let running else {
      return Finding(
        name, of: store.person, .warn, "no gateway follows \(whose) monitors",
        advice: "Start one, which follows everybody's: sudo hrgate service enable")
    }
    return Finding(
      name, of: store.person, .warn,
      "\(gateway(of: running)) runs, and does not follow \(whose) monitors",
      advice:
        "Where it was told --person or --store, start it without; else it says why it cannot use the store: hrgate status, and its journal"
    )
  }
}
