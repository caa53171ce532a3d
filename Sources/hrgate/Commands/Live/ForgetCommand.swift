import ArgumentParser
import Bluetooth
import BlueZ
import Ingestion

/// Forgets a monitor.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget a monitor, and its bond. What it measured stays in the store.",
    discussion: """
      EXAMPLES
        hrgate forget F0:0D:BE:A7:01:01
        hrgate forget "Polar H10 12345678"
      """)

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let registry = MonitorRegistry(try store.openExisting())
    let enrolled = try await registry.monitors().filter {
      $0.address.description == monitor.uppercased() || $0.name?.lowercased() == monitor.lowercased()
    }
    guard let first = enrolled.first else {
      throw Failure("\(monitor.plain) is not enrolled; hrgate monitors shows what is")
    }
    guard enrolled.count == 1 else {
      throw Failure("several monitors are named \(monitor.plain); name one by its address")
    }
    // The gateway lets go of it first, so that it does not connect again.
    try await registry.forget(first.address)
    do {
      try await BlueZHost.with { _ = try await $0.forget(first.address) }
    } catch let unavailable as BlueZUnavailable {
      StandardError.write("\(unavailable) Until then bluetoothd remembers the monitor.")
    }
    try StandardOutput.write("forgotten: \(first.address)  \((first.name ?? "").plain)")
  }
}
