import ArgumentParser
import Bluetooth
import HealthDataSync
import HealthKit
import Ingestion
import PacketReplay

/// Replays packet logs through the pipeline of the live gateway.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Read recorded Bluetooth packets (btsnoop, pcap and others) and store the heart rates in them.",
    discussion: .paragraphs(
      """
      Reads btsnoop (1001, 1002, 2001), pcap, pcapng, Apple PacketLogger, hcidump, Android bug reports and btmon's monitor
      stream, also compressed. The format is detected from the content. Measurements that the store already has are counted
      as duplicates and not stored again. Several logs are read in the order of their times, whatever their order on the
      command line. Logs that a recorder split into several files are read as one recording. An archive with several logs,
      such as an Android bug report, is read as if you had named each of them. The exit status is 1 if a log is damaged, or
      contains only truncated or encrypted packets.

      Measurements are stored for the person to whom the monitor is assigned (hrgate pair --person). Measurements of monitors that were never
      paired on this machine are stored as your own. --person NAME stores in that person's store, and skips monitors that are assigned to
      someone else. --store FILE stores everything in that file. If a log has monitors of several people, select some with --monitor.

      EXAMPLES
        hrgate replay session.btsnoop
        hrgate replay --dry-run --json *.pcapng
        hrgate replay watch.btsnoop --person anna
        hrgate replay gym.btsnoop --person anna --monitor C2:A5:00:00:00:01
        hrgate replay monday-*.btsnoop
        mkfifo now && { btmon -w now >/dev/null & hrgate replay now; }
        hrgate replay late.btsnoop --measurement-handle 0x0010
      """))

  @Argument(help: "Packet logs to read, such as strap.btsnoop; - is standard input.", completion: .file())
  var logs: [String]

  @OptionGroup var store: StoreOptions

  @Option(
    name: .customLong("monitor"),
    help: ArgumentHelp(
      "Store only the measurements of this monitor: its address, such as C2:A5:00:00:00:01, or the word unidentified for monitors whose address is not in the log. May be repeated (default: all monitors).",
      valueName: "address"),
    transform: LoggedMonitorArgument.read)
  var monitors: [LoggedMonitorArgument] = []

  @Option(
    help:
      "Attribute handle of the Heart Rate Measurement characteristic, such as 0x0010 or 16. Needed if the log begins after service discovery and so does not contain the handle.",
    transform: HandleArgument.read)
  var measurementHandle: HandleArgument?

  @Option(
    help:
      "Speed of the replay: max (as fast as possible), real (as recorded), or a factor such as 10x (default: max).",
    transform: PaceArgument.read)
  var pace = PaceArgument(.maximum)

  @Flag(
    help: """
      Count the measurements, but store nothing. Measurements that an earlier log contains too count as duplicates; with --store or \
      --person, so do measurements that are already stored.
      """)
  var dryRun = false

  @Flag(help: "Print one JSON object for each log.")
  var json = false

  func run() async throws {
    let interruption = Interruption()
    let plan = ReplayPlan(paths: logs) { interruption.hasHappened }
    var stores = try await ReplayStores(store.choice, monitors, isDryRun: dryRun) { file in
      try pipeline(file, isOne: plan.logs.count == 1)
    }
    let memory = ReplayMemory()
    if plan.isReordered {
      StandardError.print("read in order of time: \(plan.logs.map(\.path).joined(separator: ", "))")
    }
    var hasFailed = false
    for log in plan.logs where !interruption.hasHappened {
      let central = PacketReplayCentral(
        path: log.path, member: log.member, measurementHandle: measurementHandle?.handle, pace: pace.pace,
        memory: memory,
        isContinued: log.isContinued, latestPlausible: tomorrow)
      let outcome = await replay(log, central, with: &stores, interruption)
      try StandardOutput.write(json ? JSONLine.text(outcome.record) : outcome.text)
      for notice in outcome.notices { StandardError.print(notice) }
      hasFailed = hasFailed || outcome.hasFailed
    }
    try StandardOutput.flush()
    if hasFailed || interruption.hasHappened { throw ExitCode.failure }
  }

  /// The current time plus one day, as a limit for plausible times. A recorder with the wrong time zone may
  /// be less than a day ahead.
  private var tomorrow: ReceiptTime {
    let day: Int64 = 86_400_000_000
    return ReceiptTime(microsecondsSince1970: SystemClocks.now().wall.microsecondsSince1970 + day)
  }

  /// Creates the pipeline that stores the measurements or, in a dry run, counts them.
  ///
  /// Without an existing store, a dry run counts in a temporary one.
  ///
  /// - Parameter isOne: Whether there is only one log.
  private func pipeline(_ file: String, isOne: Bool) throws -> IngestionPipeline {
    guard dryRun else { return IngestionPipeline(store: try StoreOptions.open(file)) }
    let isNamed = store.path != nil || store.person != nil
    if !isNamed, isOne { return IngestionPipeline(store: nil) }
    let stored = isNamed ? try StoreOptions.openIfPresent(file) : nil
    do {
      return IngestionPipeline(rehearsing: try Rehearsal(of: stored))
    } catch {
      throw CommandError(
        "there is not enough disk space to count in a temporary store: \(error.localizedDescription)")
    }
  }

  private func replay(
    _ log: ReplayPlan.Log, _ central: PacketReplayCentral, with stores: inout ReplayStores,
    _ interruption: Interruption
  ) async -> ReplayOutcome {
    var bar = ProgressBar(log.path)
    interruption.onHappening { central.stop() }
    // After an interruption no further log continues an open recording.
    let isContinued = { log.isContinued && !interruption.hasHappened }
    let outcome = await stores.pipeline.run(central, isContinued: isContinued) { measurements in
      let replay = central.tally
      bar.show(done: replay.bytesRead, of: replay.totalBytes, "\(measurements) measurements")
    }
    bar.end()
    return ReplayOutcome(
      log: log.path, member: log.member, replay: central.tally, division: outcome, whose: stores.whose,
      isDryRun: dryRun)
  }
}

/// The pace argument.
struct PaceArgument: CheckedArgument {
  var pace: ReplayPace

  init(_ pace: ReplayPace) { self.pace = pace }

  init?(argument: String) {
    guard let pace = ReplayPace(argument) else { return nil }
    self.pace = pace
  }

  static func rule(for argument: String) -> String {
    "a pace is max, real, or a multiple of real time such as 10x"
  }
}

extension PaceArgument: CustomStringConvertible {
  var description: String {
    switch pace {
    case .maximum: "max"
    case .multiple(let factor): factor == 1 ? "real" : "\(factor)x"
    }
  }
}

/// An attribute handle argument, hexadecimal with `0x` or decimal, not 0.
struct HandleArgument: CheckedArgument {
  var handle: UInt16

  init?(argument: String) {
    let digits = argument.hasPrefix("0x") ? argument.dropFirst(2) : argument[...]
    guard let handle = UInt16(digits, radix: argument.hasPrefix("0x") ? 16 : 10), handle > 0 else {
      return nil
    }
    self.handle = handle
  }

  static func rule(for argument: String) -> String {
    "a handle is a number from 1 to 65535, or from 0x1 to 0xFFFF"
  }
}
