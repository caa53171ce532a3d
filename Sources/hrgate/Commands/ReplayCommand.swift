import ArgumentParser
import HealthKit
import Ingestion
import PacketReplay

/// Replays packet logs through the pipeline of the live gateway.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Store the measurements of recorded sessions.",
    discussion: """
      Reads btsnoop (1001, 1002, 2001), pcap, pcapng, Apple PacketLogger and btmon's monitor stream; the format is
      recognised by the content. What the store already has is counted as a duplicate and not stored again.

      EXAMPLES
        hrgate replay session.btsnoop
        hrgate replay --dry-run --json *.pcapng
        mkfifo now && { btmon -w now >/dev/null & hrgate replay now; }
        hrgate replay late.btsnoop --measurement-handle 0x0010
      """)

  @Argument(help: "The logs, in the order in which they were recorded; - is standard input.")
  var logs: [String]

  @OptionGroup var store: StoreOptions

  @Option(
    help: "The attribute handle of Heart Rate Measurement, for logs that do not name it (0x0010 or 16).")
  var measurementHandle: HandleArgument?

  @Option(help: "max, real, or a multiple of real time such as 10x.")
  var pace = PaceArgument(.maximum)

  @Flag(help: "Read, decode and count; store nothing.")
  var dryRun = false

  @Flag(help: "Print one JSON object for each log.")
  var json = false

  func run() async throws {
    let store = dryRun ? nil : try store.open()
    let memory = ReplayMemory()
    let interruption = Interruption()
    var hasFailed = false
    for log in logs where !interruption.hasHappened {
      let central = PacketReplayCentral(
        path: log, measurementHandle: measurementHandle?.handle, pace: pace.pace, memory: memory)
      let outcome = await replay(log, central, into: store, interruption)
      try StandardOutput.write(json ? JSONLine.text(outcome.record) : outcome.text)
      for notice in outcome.notices { StandardError.tell(notice) }
      hasFailed = hasFailed || outcome.hasFailed
    }
    try StandardOutput.flush()
    if hasFailed || interruption.hasHappened { throw ExitCode.failure }
  }

  private func replay(
    _ log: String, _ central: PacketReplayCentral, into store: HKHealthStore?, _ interruption: Interruption
  ) async -> ReplayOutcome {
    var pipeline = IngestionPipeline(store: store)
    var bar = ProgressBar(log)
    interruption.onHappening { central.stop() }
    let (tally, failure) = await pipeline.run(central) { tally in
      let replay = central.tally
      bar.show(done: replay.bytesRead, of: replay.totalBytes, "\(tally.measurements) measurements")
    }
    bar.end()
    return ReplayOutcome(
      log: log, replay: central.tally, ingestion: tally, failure: failure, isDryRun: dryRun)
  }
}

/// How fast, on the command line.
struct PaceArgument: ExpressibleByArgument {
  var pace: ReplayPace

  var defaultValueDescription: String { "max" }

  init(_ pace: ReplayPace) { self.pace = pace }

  init?(argument: String) {
    guard let pace = ReplayPace(argument) else { return nil }
    self.pace = pace
  }
}

/// An attribute handle: hexadecimal with `0x`, else decimal; never 0.
struct HandleArgument: ExpressibleByArgument {
  var handle: UInt16

  init?(argument: String) {
    let digits = argument.hasPrefix("0x") ? argument.dropFirst(2) : argument[...]
    guard let handle = UInt16(digits, radix: argument.hasPrefix("0x") ? 16 : 10), handle > 0 else {
      return nil
    }
    self.handle = handle
  }
}
