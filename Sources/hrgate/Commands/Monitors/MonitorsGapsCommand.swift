import ArgumentParser
import Bluetooth
import BluetoothCentral
import Gateway

/// Prints when nothing arrived from the monitors, and why.
struct MonitorsGapsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gaps",
    abstract: "Print when nothing arrived from the monitors, and why.",
    discussion: """
      A gap reaches from the last measurement before it to the first after it; one without an end still lasts. The gaps of
      recordings are printed too, including those of monitors that were never enrolled. Behind the gaps are the times in which the
      clock of this machine was ahead, by what it was set to later.
      """)

  @OptionGroup var store: StoreOptions
  @Option(help: ArgumentHelp("Only the gaps of this monitor.", valueName: "address"))
  var monitor: AddressArgument?
  @Option(help: ArgumentHelp("Only this many, the latest.", valueName: "count"))
  var last: Int?
  @Flag(help: "Print one JSON object for each gap.")
  var json = false

  func validate() throws {
    if let last, last < 1 { throw ValidationError("--last takes a whole number from 1 on.") }
  }

  func run() async throws {
    let registry = try MonitorRegistry(store.openExisting())
    for gap in try await gaps(in: registry) {
      let line = GapLine(gap)
      try StandardOutput.write(json ? JSONLine.text(line) : text(line))
    }
    for error in try await registry.clockErrors() {
      let line = ClockErrorLine(error)
      try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    }
  }

  /// A person names a monitor by the bits of its address alone; there may be one of each kind with them.
  private func gaps(in registry: MonitorRegistry) async throws -> [MonitorGap] {
    guard let monitor else { return try await registry.gaps(last: last) }
    var gaps: [MonitorGap] = []
    for address in monitor.addresses { gaps += try await registry.gaps(of: address, last: last) }
    gaps.sort { $0.start < $1.start }
    return Array(gaps.suffix(last ?? .max))
  }

  private func text(_ gap: GapLine) -> String {
    let lost = gap.lost.map { "  \($0) lost" } ?? ""
    return "\(gap.monitor)  \(gap.start)  \(gap.end ?? "until now")  \(gap.cause)\(lost)"
  }
}

/// A Bluetooth address on the command line, of either kind.
struct AddressArgument: ExpressibleByArgument {
  /// One of each kind.
  var addresses: [BluetoothAddress]

  init?(argument: String) {
    addresses = BluetoothAddress.Kind.allCases.compactMap { BluetoothAddress(argument, kind: $0) }
    if addresses.isEmpty { return nil }
  }
}
