import ArgumentParser
import Foundation
import Gateway
import Glibc
import HealthKit
import HealthSystem

/// Runs the gateway: follows all enrolled monitors and stores their measurements.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Connect to the paired monitors and store what they measure.",
    discussion: .paragraphs(
      """
      This is the gateway: it runs until Ctrl-C, connects to each monitor paired with hrgate pair whenever it is in range, and stores its heart
      rates and RR intervals. Problems with a monitor, the adapter, bluetoothd or D-Bus do not end it; a time without measurements is recorded
      as a gap (hrgate monitors gaps). If you pair or forget a monitor meanwhile, no restart is needed. Only one gateway at a time can use a
      store (database file).

      It records the monitors of all people (hrgate people), each into that person's store. --person anna records only anna's monitors,
      --person owner only your own, and --store FILE only the monitors paired in that file.

      From the stored data it computes heart-rate variability (SDNN) every five minutes and a resting heart rate for each day, and stores both
      under the source org.hrgate.derived (see hrgate derive).

      It also sends new data to the destinations added with hrgate sync, including those added while it runs. A slow destination does not delay
      the recording.

      On a terminal it shows a table with heart rates. A heart rate is hidden when it is older than ten seconds or its monitor is not
      connected. If the output is not a terminal, it prints one line for each event, without measurements, because the lines may end in a
      log. If the output is the systemd journal, each event is an entry with fields (HRGATE_MONITOR=…).

      With --page it also serves the web page; hrgate page prints its address.

      With --simulate it uses simulated straps, without an adapter, D-Bus or bluetoothd. Use a store of its own (--store), because simulated
      straps are added to its monitors and a store with real monitors is not accepted. Their addresses begin with C2:A5:50 or 02:A5:50;
      hrgate forget removes them.

      With --metrics it writes counters and states for Prometheus, without measurements, to a file that only its owner can read.

      EXAMPLES
        hrgate run
        hrgate run --no-values
        hrgate run --person anna
        hrgate run --json --measurements
        hrgate run --adapter 00:1B:DC:0A:0B:01 --commit-interval 5
        hrgate run --simulate 2 --store demo.sqlite
      """))

  @OptionGroup var store: StoreOptions
  @OptionGroup var adapter: AdapterOptions
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.wait.help))
  var wait: Bool?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.resetEnergy.help))
  var resetEnergy: Bool?
  @Option(help: ArgumentHelp(Setting.commitInterval.help, valueName: "seconds"))
  var commitInterval: Double?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.values.help))
  var values: Bool?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.sync.help))
  var sync: Bool?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.derive.help))
  var derive: Bool?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.condense.help))
  var condense: Bool?
  @Option(help: ArgumentHelp(Setting.bus.help, valueName: "bus"))
  var bus: String?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.journal.help))
  var journal: Bool?
  @Option(help: ArgumentHelp(Setting.metrics.help, valueName: "file"), completion: .file())
  var metrics: String?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.metricsGroup.help))
  var metricsGroup: Bool?
  @Flag(inversion: .prefixedNo, help: ArgumentHelp(Setting.page.help))
  var page: Bool?
  @Option(
    help: ArgumentHelp(
      "Record this number of simulated straps, from 1 to 20, instead of real monitors over Bluetooth.",
      valueName: "straps"))
  var simulate: Int?
  @Flag(help: "Print one JSON object for each event.")
  var json = false
  @Flag(help: "With --json, also print each heart rate and RR interval when it is received.")
  var measurements = false

  func validate() throws {
    if measurements, !json { throw ValidationError("--measurements requires --json.") }
    if values == false, measurements {
      throw ValidationError("--no-values and --measurements cannot be used together.")
    }
    if let simulate {
      guard SimulatedRun.counts.contains(simulate) else {
        throw ValidationError("--simulate takes a whole number from 1 to 20.")
      }
      guard adapter.adapter == nil, resetEnergy == nil else {
        throw ValidationError("--simulate uses no adapter: leave out --adapter and --reset-energy.")
      }
    }
    try Setting.bus.check(option: bus)
    try Setting.commitInterval.check(option: commitInterval)
    try Setting.metrics.check(option: metrics)
  }

  func run() async throws {
    let settings = try Settings.current
    let isAlone = !(sync ?? settings.boolean(.sync))
    let (beside, continuation) = AsyncStream.makeStream(
      of: RunUpdate.self, bufferingPolicy: .bufferingNewest(1000))
    let ending = Ending()
    let statusStore = DestinationStatusStore(until: ending)
    let simulation = simulate.map { SimulatedRun(count: $0) }
    try await simulation?.enroll(in: store.file)
    let gateway = try makeGateway(settings, simulation) { gateway, run in
      guard !isAlone else { return try await run() }
      try await statusStore.watch(gateway) {
        try await SyncAlongside(of: gateway) { continuation.yield(.sync($0)) }.run(run)
      }
    }
    // Created before the run starts, so that no event is missed.
    let updates = gateway.updates()
    let page = try runPage(of: gateway, settings, simulation, until: ending)
    let service = ServiceReport(of: gateway)
    async let reported: Void = service.run()
    let face = GatewayPublisher(of: gateway, on: bus ?? settings.choice(.bus), until: ending)
    async let faced: Void? = face?.run()
    let written = metricsFile(settings).map {
      MetricsReport(
        of: gateway, to: $0, destinations: { statusStore.entries }, version: HRGate.configuration.version,
        until: ending
      ) { continuation.yield(.metrics($0)) }
    }
    async let unwritten = written?.run()
    async let paged: Void? = page?.run()
    async let shown: Void = show(updates, beside, of: gateway.person, settings)
    do {
      try await untilInterrupted(Interruption()) {
        try await withTaskCancellationHandler {
          defer { continuation.finish() }
          try await gateway.run()
        } onCancel: {
          ending.begin()
          service.stops()
        }
      }
      await reported
      await faced
      if let reason = await unwritten { StandardError.print("metrics: \(reason)") }
      await paged
    } catch {
      // If the output pipe is broken too, ignore that and report the error of the gateway, which may be lost
      // data.
      try? await shown
      throw Self.commandError(error)
    }
    try await shown
  }

  private static func commandError(_ error: any Error) -> any Error {
    switch error {
    case let loss as LostMeasurementsError: CommandError(loss.description)
    case let refusal as UnusableStoreError:
      CommandError(refusal.reason, status: refusal.lasts ? CommandError.unusable : 1)
    default: error
    }
  }

  /// The gateway for one store if the options name one; otherwise for the stores of the account owner and all
  /// people.
  private func makeGateway(
    _ settings: Settings, _ simulation: SimulatedRun?,
    accompany: @escaping MultiUserGateway.Accompanying
  ) throws -> MultiUserGateway {
    let choice = try store.choice
    if let simulation {
      return simulation.makeGateway(choice, policy: policy(settings), accompany: accompany)
    }
    var people: People?
    if case .owner(file: _, isNamed: false) = choice {
      people = People()
      // Checked only at the start: later, a directory that is unreadable for a while must not stop anyone's
      // gateway.
      _ = try PersonError.translating { () throws(PersonError) in try people?.list() }
    }
    return try MultiUserGateway(
      person: choice.person?.text, people: people, path: choice.file, bluetooth: bluetooth(settings),
      policy: policy(settings), accompany: accompany
    ) { [file = choice.file] in
      try StoreCare.refuseDamaged(file)
      return try MonitorRegistry(StoreOptions.open(file))
    }
  }

  /// Shows measurements on a terminal. Other outputs may be logs and get them only if the options say so.
  private func show(
    _ updates: AsyncStream<GatewayUpdate>, _ others: AsyncStream<RunUpdate>, of main: String?,
    _ settings: Settings
  ) async throws {
    if !json, StandardOutput.isTerminal {
      let showsValues = values ?? settings.boolean(.values)
      try await RunScreen(options: .init(showsValues: showsValues)).show(updates, others, of: main)
    } else {
      var options = RunLines.Options(isJSON: json, showsMeasurements: measurements, main: main)
      options.journal = wantedJournal(settings)
      try await RunLines.show(updates, options, others: others)
    }
  }

  /// The journal to write to; `nil` with `--json`, which always writes to the output.
  private func wantedJournal(_ settings: Settings) -> Journal? {
    let environment = ProcessInfo.processInfo.environment
    guard !json, journal ?? settings.boolean(.journal),
      Journal.takes(STDOUT_FILENO, environment: environment), let journal = Journal(as: "hrgate"),
      journal.isHeard
    else { return nil }
    return journal
  }

  /// Creates the page that is served beside the gateway.
  /// - Returns: `nil` if the options and settings do not ask for the page.
  private func runPage(
    of gateway: MultiUserGateway, _ settings: Settings, _ simulation: SimulatedRun?, until ending: Ending
  ) throws -> RunPage? {
    guard page ?? settings.boolean(.page) else { return nil }
    return try RunPage(
      of: gateway, store.choice, adapter: adapter.address, radio: simulation?.radio, until: ending
    ) { reason in
      // A message would break the table on the terminal.
      if !StandardOutput.isTerminal { StandardError.print(reason) }
    }
  }

  private func metricsFile(_ settings: Settings) -> MetricsFile? {
    (metrics.map(settings.whole) ?? settings.text(.metrics)).map {
      MetricsFile($0, isGroups: metricsGroup ?? settings.boolean(.metricsGroup))
    }
  }

  private func bluetooth(_ settings: Settings) throws -> BluetoothOptions {
    var options = BluetoothOptions()
    options.adapter = try adapter.address
    options.resetsEnergy = resetEnergy ?? settings.boolean(.resetEnergy)
    options.waits = wait ?? settings.boolean(.wait)
    return options
  }

  private func policy(_ settings: Settings) -> LivePolicy {
    var policy = LivePolicy()
    policy.commitInterval = .seconds(commitInterval ?? settings.number(.commitInterval))
    policy.waitsForAnother = wait ?? settings.boolean(.wait)
    policy.derivesFigures = derive ?? settings.boolean(.derive)
    policy.condenses = condense ?? settings.boolean(.condense)
    return policy
  }
}
