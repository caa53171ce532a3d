import ArgumentParser
import Foundation
import Glibc
import HealthDataSync
import HealthKit

/// Syncs to the destinations without a gateway.
struct SyncRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract:
      "Send to the destinations until interrupted or, with --once, until everything is sent.",
    discussion: .paragraphs(
      """
      Use it where no gateway runs: a running gateway (hrgate run) already sends. If another program sends to a destination, this one waits for
      it.

      With --once the exit status is 0 if everything was sent, and 1 if a destination failed or records are in the dead-letter list.
      Samples that a destination never accepts, such as types without a FHIR Observation, are counted and do not change the exit status.

      EXAMPLES
        hrgate sync run --once
        hrgate sync run lab files --once --json
        hrgate sync run
      """))

  @Argument(help: "The destinations' names (default: all).")
  var names: [String] = []
  @Flag(help: "Send the pending changes, then exit.")
  var once = false
  @Flag(help: "Print one JSON object for each destination (with --once) or for each change of state.")
  var json = false
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let store = try store.openExisting()
    let destinations = try SyncDestinations(store)
    let chosen = try await Destinations.named(names, in: destinations)
    if once {
      try await runOnce(chosen, store, destinations)
    } else {
      try await follow(store)
    }
  }

  // MARK: - Once

  private func runOnce(
    _ chosen: [SyncDestination], _ store: HKHealthStore, _ destinations: SyncDestinations
  ) async throws {
    let run = SingleSyncRun(store: store, destinations: chosen)
    let interruption = Interruption()
    let outcomes = try await untilInterrupted(interruption) { await run.perform() }
    var hasFailed = interruption.hasHappened
    let statuses = try await SyncStatusLine.all(of: destinations)
    for outcome in outcomes {
      let status = statuses.first { $0.name == outcome.name }
      if json, let status {
        try StandardOutput.write(JSONLine.text(status))
      } else if !json, outcome.failure == nil {
        try StandardOutput.write("\(outcome.name): \(outcome.account)")
        if let rejected = status?.rejectedText { try StandardOutput.write("\(outcome.name): \(rejected)") }
      }
      if let failure = outcome.failure { StandardError.tell("\(outcome.name): \(failure)") }
      if let setAside = status?.setAsideText { StandardError.tell("\(outcome.name): \(setAside)") }
      hasFailed = hasFailed || outcome.failure != nil || (status?.setAside ?? 0) > 0
    }
    try StandardOutput.flush()
    if hasFailed { throw ExitCode.failure }
  }

  // MARK: - Continuous

  private func follow(_ store: HKHealthStore) async throws {
    let lines = EventLines(to: STDOUT_FILENO) {
      "\(Counted.text($0, "line is", "lines are")) missing here: the reader was too slow"
    }
    let desk = SyncReporter()
    let isJSON = json
    let tell: @Sendable (SyncUpdates?) -> Void = { news in
      guard let event = news.map(RunEvent.Sync.init) else { return }
      if let line = isJSON ? try? JSONLine.text(event) : event.text { lines.write(line) }
    }
    let fleet = SyncFleet(store, troubled: { tell(desk.news(ofAll: $0)) }) { destination, progress in
      tell(desk.news(of: destination, progress))
    }
    let names = names.isEmpty ? nil : Set(names)
    do {
      try await untilInterrupted(Interruption()) { try await fleet.run(names) }
    } catch is CancellationError {
      // Cancelled by Ctrl-C: stop without an error.
    }
    try lines.finish()
  }
}
