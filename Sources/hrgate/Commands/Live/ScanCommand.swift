import ArgumentParser
import BlueZ
import Bluetooth
import Gateway
import HealthDataSync
import HealthKit

/// Lists the heart-rate monitors nearby.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the heart-rate monitors nearby.",
    discussion: .paragraphs(
      """
      Shows devices that advertise the Heart Rate Service or the appearance of a heart-rate sensor, and all monitors paired with hrgate pair,
      which have the word "enrolled" in the last column. Wear the monitor: most advertise only with skin contact. A monitor that is connected
      to another device does not advertise.

      Private addresses change regularly. A paired monitor with a resolvable private address is recognized by its bond after each change. A
      monitor whose private address is not resolvable must be paired again after each change.

      EXAMPLES
        hrgate scan
        hrgate scan --seconds 30 --json
        hrgate scan --all
      """))

  @Option(help: ArgumentHelp("Duration of the scan in seconds, from 1 to 600.", valueName: "seconds"))
  var seconds: Int = 10
  @Flag(help: "Show all devices, not only heart-rate monitors.")
  var all = false
  @OptionGroup var adapter: AdapterOptions
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each device.")
  var json = false

  func validate() throws {
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds must be from 1 to 600.") }
  }

  func run() async throws {
    let pairing = try MonitorPairing(registry(), radio: BlueZRadio(adapter: adapter.address))
    let table = LiveTable(isVisible: !json && StandardOutput.isTerminal)
    let (seconds, all) = (seconds, all)
    let seen = try await untilInterrupted(Interruption()) {
      let seen = Latest<[SeenPeripheral]?>(nil)
      do {
        try await pairing.scan(for: .seconds(seconds), showsAll: all) { peripherals in
          seen.value = peripherals
          table.show(SeenTable.lines(peripherals))
        }
      } catch let error as CancellationError {
        // Ctrl-C during the scan: print what was found so far.
        guard seen.value != nil else { throw error }
      }
      return seen.value ?? []
    }
    try table.end()
    try write(seen)
  }

  private func write(_ seen: [SeenPeripheral]) throws {
    if json {
      for peripheral in seen { try StandardOutput.write(JSONLine.text(peripheral)) }
    } else if !StandardOutput.isTerminal || seen.isEmpty {
      for line in SeenTable.lines(seen) { try StandardOutput.write(line) }
    }
    if seen.isEmpty {
      StandardError.print(
        "no device found in \(seconds) s; wear the monitor and disconnect it from other devices")
    }
  }

  /// Opens the store, whose enrolled monitors the scan marks. A scan works without a store, so an empty one
  /// in memory replaces a missing one.
  private func registry() throws -> MonitorRegistry {
    guard let store = try? store.openExisting() else { return try MonitorRegistry(at: .memory) }
    return try MonitorRegistry(store)
  }
}
