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
      The bond is bluetoothd's, and all users of this machine share it: it stays where another program follows the monitor now, unless
      --for-all is given. While another program has acquired the monitor's notifications (AcquireNotify), the bond cannot be removed. If
      bluetoothd still remembers a monitor that is no longer enrolled, name it by its address.

      EXAMPLES
        hrgate forget F0:0D:BE:A7:01:01
        hrgate forget "Polar H10 12345678" --for-all
      """))

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String
  @Flag(help: "Remove the bond also if another program follows the monitor.")
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
      throw Failure("several monitors are named \(monitor.plain); name one by its address")
    }
    try await pairing.forget(first.address, isForAll: forAll) { StandardError.tell($0) }
    try StandardOutput.write("forgotten: \(first.address)  \((first.name ?? "").plain)")
  }

  /// A monitor of another person is forgotten only if that person is named.
  private func refuseMonitorOfOthers(_ pairing: MonitorPairing) async throws {
    for address in AddressArgument(argument: monitor)?.addresses ?? [] {
      guard let holder = try await pairing.holders(of: address).first else { continue }
      let name = holder.person ?? "owner"
      throw Failure(
        "\(address) is \(name.plain)'s: hrgate forget \(address) --person \(name.shellWord) forgets it")
    }
  }

  /// The monitor is not enrolled, or an earlier attempt could not remove its bond.
  private func removeBond(_ pairing: MonitorPairing) async throws {
    guard let argument = AddressArgument(argument: monitor) else {
      throw Failure("\(monitor.plain) is not enrolled; hrgate monitors shows what is")
    }
    var outcomes: [BondRemoval] = []
    do {
      for address in argument.addresses {
        outcomes.append(try await pairing.removeBond(of: address, isForAll: forAll))
      }
    } catch let unavailable as BlueZUnavailable {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd cannot be asked: \(unavailable)")
    } catch let error as NotifyAcquiredError {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd still remembers it. \(error)")
    } catch let refusal as BlueZError {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd does not forget it: \(refusal)")
    }
    if outcomes.contains(.leftToOthers) {
      throw Failure("\(monitor.plain) is not enrolled. \(MonitorPairing.leftToOthers(monitor.uppercased()))")
    }
    guard outcomes.contains(.removed) else {
      throw Failure(
        "\(monitor.plain) is not enrolled, and bluetoothd does not know it; hrgate monitors shows what is")
    }
    try StandardOutput.write("forgotten by bluetoothd: \(monitor.uppercased())")
  }
}
