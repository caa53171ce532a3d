/// Whether a gateway runs on the store, and the service that keeps it running.
enum ServiceCheck {
  private static let name = "service"

  static func findings(_ service: ServiceFacts, _ store: StoreFacts) -> [Finding] {
    if store.hasGateway {
      let process = store.gateway.map { " (process \($0))" } ?? ""
      return [Finding(name, .ok, "a gateway\(process) follows the monitors")]
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
}
