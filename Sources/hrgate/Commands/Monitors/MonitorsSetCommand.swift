import ArgumentParser
import Bluetooth
import Gateway
import Ingestion

/// Declares how a monitor deviates from the specification.
struct MonitorsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Declare how a monitor deviates from the specification.",
    discussion: .paragraphs(
      """
      hrgate run and hrgate replay report a monitor whose RR intervals do not add up to the time that passed, and one that says "no contact"
      during a whole connection although it measures a heart. Nothing is corrected before it is declared here. A declaration applies to runs
      and replays that begin later, not to what is stored. hrgate monitors shows it, and hrgate forget forgets it.

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

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String
  @Option(help: "The unit of its RR intervals: ms, or standard for 1/1024 s.")
  var intervalUnit: IntervalUnit?
  @Option(help: "ignore: store heart rates although the monitor says that it has no contact.")
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
      throw Failure("\(monitor.plain) is not enrolled; hrgate monitors shows what is")
    }
    guard enrolled.count == 1 else {
      throw Failure("several monitors are named \(monitor.plain); name one by its address")
    }
    var settings = found.settings
    if let intervalUnit { settings.intervalUnit = intervalUnit == .milliseconds ? .milliseconds : .standard }
    if let sensorContact { settings.ignoresSensorContact = sensorContact == .ignore }
    try await registry.declare(settings, of: found.address)
    if registry.hasGateway { StandardError.tell("restart the gateway to apply the setting") }
  }
}

extension MonitorSettings {
  /// The options of `hrgate monitors set` that declare these settings; `nil` for the standard's.
  var options: String? {
    let options =
      (intervalUnit == .milliseconds ? ["--interval-unit ms"] : [])
      + (ignoresSensorContact ? ["--sensor-contact ignore"] : [])
    return options.isEmpty ? nil : options.joined(separator: " ")
  }
}
