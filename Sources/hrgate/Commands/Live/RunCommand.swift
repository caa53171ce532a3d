import ArgumentParser
import Gateway

/// The gateway: follows all enrolled monitors and stores what they measure.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Follow the enrolled monitors and store what they measure.",
    discussion: """
      Runs until it is interrupted, whatever happens to a monitor, the adapter, bluetoothd or the bus; time without measurements is recorded
      as a gap (hrgate monitors gaps). Monitors that are paired meanwhile are followed, and those that are forgotten are let go. Only one
      gateway at a time runs on a store.

      What is stored is carried to the destinations of hrgate sync beside that, and those that are added meanwhile are taken up. None of them
      holds up the gateway.

      On a terminal it shows a table with the pulse; a pulse that is older than ten seconds, or of a monitor that is not followed, is not
      shown. Elsewhere it prints a line for each event, without what was measured: these lines may end in a log.

      EXAMPLES
        hrgate run
        hrgate run --no-values
        hrgate run --json --measurements
        hrgate run --adapter 00:1B:DC:0A:0B:01 --commit-interval 5
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var adapter: AdapterOptions
  @Flag(help: "Start even if there is no bus, bluetoothd or adapter yet, and wait for it.")
  var wait = false
  @Flag(help: "Set each monitor's energy total to 0 at its first connection in this run.")
  var resetEnergy = false
  @Option(
    help: ArgumentHelp(
      "Store each measurement within this many seconds.", valueName: "seconds"))
  var commitInterval = 1.0
  @Flag(help: "Show no pulse, contact or interval on the terminal.")
  var noValues = false
  @Flag(help: "Carry nothing to the destinations of hrgate sync.")
  var noSync = false
  @Flag(help: "Print one JSON object for each event.")
  var json = false
  @Flag(help: "With --json, print each measurement too, as it comes in.")
  var measurements = false

  func validate() throws {
    if measurements, !json { throw ValidationError("--measurements needs --json.") }
    if noValues, measurements {
      throw ValidationError("--no-values and --measurements cannot be used together.")
    }
    guard (0.05...3600).contains(commitInterval) else {
      throw ValidationError("--commit-interval is from 0.05 to 3600 seconds.")
    }
  }

  func run() async throws {
    let store = try store.open()
    let registry = try MonitorRegistry(store)
    let gateway = HeartRateGateway(registry, bluetooth: bluetooth, policy: policy)
    // Made before the run, so that none of its events is missed.
    let events = gateway.timedEvents()
    let sync = SyncAlongside(store, of: gateway)
    let isAlone = noSync
    async let shown: Void = show(events, isAlone ? .none : sync.news)
    do {
      try await untilInterrupted(Interruption()) {
        if isAlone { try await gateway.run() } else { try await sync.run { try await gateway.run() } }
      }
    } catch {
      // Report lost data before a broken output pipe.
      try? await shown
      throw (error as? LostMeasurements).map { Failure($0.description) } ?? error
    }
    try await shown
  }

  /// Its owner sees what is measured. What is no terminal may be a log, and gets it only if told so.
  private func show(
    _ events: AsyncStream<TimedGatewayEvent>, _ sync: AsyncStream<SyncNews>
  ) async throws {
    if !json, StandardOutput.isTerminal {
      try await RunScreen(options: .init(showsValues: !noValues)).show(events, sync)
    } else {
      try await RunLines.show(events, .init(isJSON: json, showsMeasurements: measurements), sync: sync)
    }
  }

  private var bluetooth: BluetoothOptions {
    var options = BluetoothOptions()
    options.adapter = adapter.address
    options.resetsEnergy = resetEnergy
    options.waits = wait
    return options
  }

  private var policy: LivePolicy {
    var policy = LivePolicy()
    policy.commitInterval = .seconds(commitInterval)
    return policy
  }
}
