import ArgumentParser
import BlueZ
import Bluetooth
import Gateway

/// Forgets a monitor.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget a monitor, its bond and its settings. Its samples stay in the store.",
    discussion: .paragraphs(
      """
      bluetoothd keeps the bond for all users of this machine. The bond is kept while another program follows the monitor, unless --for-all
      is given. It cannot be removed while another program has acquired the monitor's notifications (AcquireNotify). If bluetoothd still
      knows a monitor that is no longer enrolled, name it by its address.

      EXAMPLES
        hrgate forget F0:0D:BE:A7:01:01
        hrgate forget "Polar H10 12345678" --for-all
      """))

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String
  @Flag(help: "Remove the bond even if another program follows the monitor.")
  var forAll = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let registry = try MonitorRegistry(store.openExisting())
    let pairing = try MonitorPairing(store.choice, registry)
    let enrolled = try await registry.monitors(named: monitor)
    guard let first = enrolled.first else {
      try await refuseMonitorOfOthers(pairing)
      return try await removeBond(pairing)
    }
    guard enrolled.count == 1 else {
      throw Failure("several monitors are named \(monitor.plain); use the address instead")
    }
    try await pairing.forget(first.address, isForAll: forAll) { StandardError.tell($0) }
    try StandardOutput.write("forgotten: \(first.address)  \((first.name ?? "").plain)")
  }

  /// Fails if the monitor belongs to another person: it is forgotten only with that person's name.
  private func refuseMonitorOfOthers(_ pairing: MonitorPairing) async throws {
    for address in AddressArgument(argument: monitor)?.addresses ?? [] {
      guard let holder = try await pairing.holders(of: address).first else { continue }
      let name = holder.person ?? "owner"
      throw Failure(
        "\(address) belongs to \(name.plain); forget it with: hrgate forget \(address) --person \(name.shellWord)"
      )
    }
  }

  /// Removes the bond of a monitor that is not enrolled, for example after an earlier attempt could not.
  private func removeBond(_ pairing: MonitorPairing) async throws {
    guard let argument = AddressArgument(argument: monitor) else {
      throw Failure("\(monitor.plain) is not enrolled; list the monitors with: hrgate monitors")
    }
    var outcomes: [BondRemoval] = []
    do {
      for address in argument.addresses {
        outcomes.append(try await pairing.removeBond(of: address, isForAll: forAll))
      }
    } catch let unavailable as BlueZUnavailableError {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd does not answer: \(unavailable)")
    } catch let error as NotifyAcquiredError {
      throw Failure("\(monitor.plain) is not enrolled, but bluetoothd still has its bond. \(error)")
    } catch let refusal as BlueZError {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd did not remove its bond: \(refusal)")
    }
    if outcomes.contains(.leftToOthers) {
      throw Failure("\(monitor.plain) is not enrolled. \(MonitorPairing.leftToOthers(monitor.uppercased()))")
    }
    guard outcomes.contains(.removed) else {
      throw Failure(
        "\(monitor.plain) is not enrolled, and bluetoothd does not know it; list the monitors with: hrgate monitors"
      )
    }
    try StandardOutput.write("removed from bluetoothd: \(monitor.uppercased())")
  }
}
