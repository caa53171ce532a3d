import ArgumentParser
import BlueZ
import Bluetooth
import Gateway
import HealthDataSync

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
    let enrolled = try await enrolledAddresses()
    let admission = BlueZHost.Admission(known: enrolled, showsAll: all)
    let table = LiveTable(isVisible: !json && StandardOutput.isTerminal)
    let seconds = seconds
    let interruption = Interruption()
    let seen = try await untilInterrupted(interruption) {
      try await BlueZHost.with(adapter: try adapter.address) { host in
        let seen = Latest<[SeenPeripheral]>([])
        do {
          try await host.scan(for: .seconds(seconds), admitting: admission) { peripherals in
            seen.value = peripherals
            table.show(SeenTable.lines(peripherals, enrolled: enrolled))
          }
        } catch is CancellationError {
          // What was heard until then is shown.
        }
        return seen.value
      }
    }
    try table.end()
    try write(seen, enrolled)
  }

  private func write(_ seen: [SeenPeripheral], _ enrolled: Set<BluetoothAddress>) throws {
    if json {
      for peripheral in seen {
        try StandardOutput.write(
          JSONLine.text(SeenLine(peripheral, isEnrolled: enrolled.contains(peripheral.address))))
      }
    } else if !StandardOutput.isTerminal || seen.isEmpty {
      for line in SeenTable.lines(seen, enrolled: enrolled) { try StandardOutput.write(line) }
    }
    if seen.isEmpty {
      StandardError.tell(
        "nothing was heard in \(seconds) s: is the monitor worn, and connected to nothing else?")
    }
  }

  /// A scan needs no store; it only marks what is enrolled in one.
  private func enrolledAddresses() async throws -> Set<BluetoothAddress> {
    guard let store = try? store.openExisting() else { return [] }
    return Set(try await MonitorRegistry(store).monitors().map(\.address))
  }
}
