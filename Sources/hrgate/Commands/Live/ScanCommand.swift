import ArgumentParser
import BlueZ
import Bluetooth
import Gateway
import HealthDataSync
import HealthKit

/// Shows which heart-rate monitors are nearby.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Show which heart-rate monitors are nearby.",
    discussion: .paragraphs(
      """
      Shows whatever advertises the Heart Rate Service or calls itself a heart-rate sensor, and the monitors that are enrolled. Wear the
      monitor: most are silent until they feel skin. One that is connected to another device does not advertise.

      A private address changes by itself. Where it is resolvable, a monitor that is paired is known by its bond whatever address it has.
      One whose address is not resolvable has to be paired again whenever that changes.

      EXAMPLES
        hrgate scan
        hrgate scan --seconds 30 --json
        hrgate scan --all
      """))

  @Option(help: ArgumentHelp("How long to listen.", valueName: "n"))
  var seconds: Int = 10
  @Flag(help: "Show every device that is heard, not only heart-rate monitors.")
  var all = false
  @OptionGroup var adapter: AdapterOptions
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each device.")
  var json = false

  func validate() throws {
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds is from 1 to 600.") }
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
        // Ctrl-C during the scan: print what was heard so far.
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
      StandardError.tell(
        "nothing was heard in \(seconds) s: is the monitor worn, and connected to nothing else?")
    }
  }

  /// A scan needs no store. If there is one, the monitors that are enrolled in it are marked.
  private func registry() throws -> MonitorRegistry {
    guard let store = try? store.openExisting() else { return try MonitorRegistry(at: .memory) }
    return try MonitorRegistry(store)
  }
}
