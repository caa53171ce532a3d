import ArgumentParser
import Bluetooth
import Gateway
import Ingestion

/// Sets how a monitor deviates from the specification.
struct MonitorsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Correct a monitor that sends RR intervals in milliseconds or a wrong \"no contact\".",
    discussion: .paragraphs(
      """
      hrgate run and hrgate replay report a monitor whose RR intervals do not add up to the elapsed time, and a monitor that reports "no
      contact" during a whole connection although it sends heart rates. They correct nothing until you say with this command how to read the
      monitor's data. The setting applies to later runs and replays, not to stored data. hrgate monitors shows it; hrgate forget removes it.

      EXAMPLES
        hrgate monitors set F0:0D:BE:A7:01:01 --interval-unit ms
        hrgate monitors set "Polar H10 12345678" --sensor-contact ignore
        hrgate monitors set F0:0D:BE:A7:01:01 --interval-unit standard --sensor-contact standard
      """))

  enum IntervalUnit: String, ExpressibleByArgument, CaseIterable {
    case milliseconds = "ms"
    case standard
  }

  enum SensorContact: String, ExpressibleByArgument, CaseIterable {
    case ignore
    case standard
  }

  @Argument(help: "The monitor's address or name, as hrgate monitors shows them.")
  var monitor: String
  @Option(
    help:
      "Unit in which the monitor sends RR intervals: standard (1/1024 s, as specified) or ms (milliseconds) (default: no change)."
  )
  var intervalUnit: IntervalUnit?
  @Option(
    help:
      "ignore: store heart rates even if the monitor reports no skin contact; standard: reject those heart rates (default: no change)."
  )
  var sensorContact: SensorContact?
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if intervalUnit == nil, sensorContact == nil {
      throw ValidationError("Nothing to set: use --interval-unit or --sensor-contact.")
    }
  }

  func run() async throws {
    let registry = try MonitorRegistry(store.openExisting())
    let enrolled = try await registry.monitors(named: monitor)
    guard let found = enrolled.first else {
      throw CommandError("hrgate has no monitor \(monitor.plain); list the monitors with: hrgate monitors")
    }
    guard enrolled.count == 1 else {
      throw CommandError("several monitors are named \(monitor.plain); use the address instead")
    }
    var settings = found.settings
    if let intervalUnit { settings.intervalUnit = intervalUnit == .milliseconds ? .milliseconds : .standard }
    if let sensorContact { settings.ignoresSensorContact = sensorContact == .ignore }
    try await registry.declare(settings, of: found.address)
    if registry.hasGateway { StandardError.print("restart the gateway to apply the setting") }
  }
}

extension MonitorSettings {
  /// The options of `hrgate monitors set` that declare these settings; `nil` if the monitor follows the
  /// standard.
  var options: String? {
    let options =
      (intervalUnit == .milliseconds ? ["--interval-unit ms"] : [])
      + (ignoresSensorContact ? ["--sensor-contact ignore"] : [])
    return options.isEmpty ? nil : options.joined(separator: " ")
  }
}
