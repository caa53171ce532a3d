import ArgumentParser
import BlueZ
import Bluetooth
import Gateway

/// Forgets a monitor.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Unpair a monitor: delete its bond and its settings. Stored measurements are kept.",
    discussion: .paragraphs(
      """
      The bond (the stored encryption keys) is removed from bluetoothd too, for all users of this machine. It is kept while another program
      is connected to the monitor, unless --for-all is given. It cannot be removed while another program has acquired the monitor's
      notifications (AcquireNotify). If hrgate no longer lists the monitor but bluetoothd still has its bond, give the monitor's address.

      EXAMPLES
        hrgate forget F0:0D:BE:A7:01:01
        hrgate forget "Polar H10 12345678" --for-all
      """))

  @Argument(help: "The monitor's address or name, as hrgate monitors shows them.")
  var monitor: String
  @Flag(help: "Remove the bond even if another program on this machine is connected to the monitor.")
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
      throw CommandError("several monitors are named \(monitor.plain); use the address instead")
    }
    try await pairing.forget(first.address, isForAll: forAll) { StandardError.print($0) }
    try StandardOutput.write("forgotten: \(first.address)  \((first.name ?? "").plain)")
  }

  /// Fails if the monitor belongs to another person: it is forgotten only with that person's name.
  private func refuseMonitorOfOthers(_ pairing: MonitorPairing) async throws {
    for address in AddressArgument(argument: monitor)?.addresses ?? [] {
      guard let holder = try await pairing.holders(of: address).first else { continue }
      let name = holder.person ?? "owner"
      throw CommandError(
        "\(address) belongs to \(name.plain); forget it with: hrgate forget \(address) --person \(name.shellWord)"
      )
    }
  }

  /// Removes the bond of a monitor that is not enrolled, for example after an earlier attempt could not.
  private func removeBond(_ pairing: MonitorPairing) async throws {
    guard let argument = AddressArgument(argument: monitor) else {
      throw CommandError("hrgate has no monitor \(monitor.plain); list the monitors with: hrgate monitors")
    }
    var outcomes: [BondRemoval] = []
    do {
      for address in argument.addresses {
        outcomes.append(try await pairing.removeBond(of: address, isForAll: forAll))
      }
    } catch let unavailable as BlueZUnavailableError {
      throw CommandError(
        "hrgate has no monitor \(monitor.plain), and bluetoothd does not answer: \(unavailable)")
    } catch let error as NotifyAcquiredError {
      throw CommandError(
        "hrgate has no monitor \(monitor.plain), but bluetoothd still has its bond. \(error)")
    } catch let refusal as BlueZError {
      throw CommandError(
        "hrgate has no monitor \(monitor.plain), and bluetoothd did not remove its bond: \(refusal)")
    }
    if outcomes.contains(.leftToOthers) {
      throw CommandError(
        "hrgate has no monitor \(monitor.plain). \(MonitorPairing.leftToOthers(monitor.uppercased()))")
    }
    guard outcomes.contains(.removed) else {
      throw CommandError(
        "neither hrgate nor bluetoothd has a monitor \(monitor.plain); list the monitors with: hrgate monitors"
      )
    }
    try StandardOutput.write("removed from bluetoothd: \(monitor.uppercased())")
  }
}
