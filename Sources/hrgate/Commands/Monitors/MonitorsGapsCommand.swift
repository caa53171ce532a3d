import ArgumentParser
import Bluetooth
import Gateway
import HealthDataSync
import HealthSystem

/// Prints when no data arrived from the monitors, and why.
struct MonitorsGapsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gaps",
    abstract: "Show when no data arrived from the monitors, and why.",
    discussion: .paragraphs(
      """
      A gap is a time without data, from the last measurement before it to the first one after it. "until now" means that there is still no
      data. Gaps in recordings (hrgate replay) are included, also those of monitors that were never paired on this machine. After the gaps,
      the command lists the times in which this machine's clock was wrong, and by how much.

      EXAMPLES
        hrgate monitors gaps --last 20
        hrgate monitors gaps --monitor "Polar H10 12345678" --json
      """))

  @OptionGroup var store: StoreOptions
  @Option(
    help: ArgumentHelp(
      "Show only gaps of this monitor, given by its address or name (default: all monitors).",
      valueName: "monitor"))
  var monitor: String?
  @Option(
    help: ArgumentHelp(
      "Show only the latest gaps, at most this number of them, such as 20 (default: all).",
      valueName: "count"))
  var last: Int?
  @Flag(help: "Print one JSON object for each gap.")
  var json = false

  func validate() throws {
    if let last, last < 1 { throw ValidationError("--last must be at least 1.") }
  }

  func run() async throws {
    let registry = try await MonitorRegistry(store.openForReading())
    let gaps = try await gaps(in: registry)
    let names = try await registry.names(of: gaps.map(\.monitor))
    let lines = gaps.map { GapView($0, name: names[$0.monitor]) }
    for line in try json ? lines.map(JSONLine.text) : GapTable.lines(lines) {
      try StandardOutput.write(line)
    }
    for error in try await registry.clockErrors() {
      let line = ClockErrorLine(error)
      try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    }
  }

  private func gaps(in registry: MonitorRegistry) async throws -> [MonitorGap] {
    guard let monitor else { return try await registry.gaps(last: last) }
    var gaps: [MonitorGap] = []
    for address in try await addresses(of: monitor, in: registry) {
      gaps += try await registry.gaps(of: address, last: last)
    }
    gaps.sort { $0.start < $1.start }
    return Array(gaps.suffix(last ?? .max))
  }

  /// The addresses that match a monitor's name or address. An address without its kind may match a public and
  /// a random address. A name matches all monitors with that name.
  private func addresses(of monitor: String, in registry: MonitorRegistry) async throws -> [BluetoothAddress]
  {
    if let argument = AddressArgument(argument: monitor) { return argument.addresses }
    let known = Set(try await registry.gaps().map(\.monitor))
    let named = try await registry.names(of: known).filter { $0.value.lowercased() == monitor.lowercased() }
    guard !named.isEmpty else {
      throw CommandError("no monitor is named \(monitor); list the monitors with: hrgate monitors")
    }
    return Array(named.keys)
  }
}

/// A Bluetooth address on the command line, without its kind.
struct AddressArgument: ExpressibleByArgument {
  /// The address as each possible kind.
  var addresses: [BluetoothAddress]

  init?(argument: String) {
    addresses = BluetoothAddress.Kind.allCases.compactMap { BluetoothAddress(argument, kind: $0) }
    if addresses.isEmpty { return nil }
  }
}
