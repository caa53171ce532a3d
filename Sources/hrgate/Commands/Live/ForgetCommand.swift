import ArgumentParser
import Bluetooth
import BlueZ
import Gateway

/// Forgets a monitor.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget a monitor and its bond. Its samples stay in the store.",
    discussion: """
      If bluetoothd still remembers a monitor that is no longer enrolled, name it by its address.

      EXAMPLES
        hrgate forget F0:0D:BE:A7:01:01
        hrgate forget "Polar H10 12345678"
      """)

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let registry = try MonitorRegistry(store.openExisting())
    let enrolled = try await registry.monitors().filter {
      $0.address.description == monitor.uppercased() || $0.name?.lowercased() == monitor.lowercased()
    }
    guard let first = enrolled.first else { return try await forgetStranger() }
    guard enrolled.count == 1 else {
      throw Failure("several monitors are named \(monitor.plain); name one by its address")
    }
    // First of all the gateway stops following it, so that it does not connect again.
    try await registry.forget(first.address)
    try await forgetBond(of: first.address)
    try StandardOutput.write("forgotten: \(first.address)  \((first.name ?? "").plain)")
  }

  /// The store does not know it (any more): an earlier attempt may have come only so far.
  private func forgetStranger() async throws {
    guard let argument = AddressArgument(argument: monitor) else {
      throw Failure("\(monitor.plain) is not enrolled; hrgate monitors shows what is")
    }
    var wasKnown = false
    do {
      wasKnown = try await BlueZHost.with { host in
        var wasKnown = false
        for address in argument.addresses where try await host.forget(address) { wasKnown = true }
        return wasKnown
      }
    } catch let unavailable as BlueZUnavailable {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd cannot be asked: \(unavailable)")
    } catch let refusal as BlueZError {
      throw Failure("\(monitor.plain) is not enrolled, and bluetoothd does not forget it: \(refusal)")
    }
    guard wasKnown else {
      throw Failure(
        "\(monitor.plain) is not enrolled, and bluetoothd does not know it; hrgate monitors shows what is")
    }
    try StandardOutput.write("forgotten by bluetoothd: \(monitor.uppercased())")
  }

  private func forgetBond(of address: BluetoothAddress) async throws {
    do {
      try await BlueZHost.with { _ = try await $0.forget(address) }
    } catch let unavailable as BlueZUnavailable {
      StandardError.tell(
        "\(unavailable) Until then bluetoothd remembers the monitor: hrgate forget \(address)")
    } catch let refusal as BlueZError where refusal.meaning != .objectGone {
      throw Failure(
        "\(address) is no longer enrolled, but bluetoothd still remembers it, with its bond: \(refusal). Try again: hrgate forget \(address)"
      )
    } catch is BlueZError {
      // Another program was faster.
    }
  }
}
