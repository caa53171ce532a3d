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
      "Send samples to the destinations added with hrgate sync add, until Ctrl-C or, with --once, until all are sent.",
    discussion: .paragraphs(
      """
      hrgate run sends too, so this command is needed only while hrgate run does not run. If another program is sending to a destination, this
      command waits for it.

      With --once the exit status is 0 if everything was sent, and 1 if a destination failed or rejected records. Samples of a type that a kind
      of destination cannot represent, such as types without a FHIR Observation, are counted and do not change the exit status.

      EXAMPLES
        hrgate sync run --once
        hrgate sync run lab files --once --json
        hrgate sync run
      """))

  @Argument(help: "Names of the destinations to send to, such as lab (default: all).")
  var names: [String] = []
  @Flag(help: "Exit when all stored samples and deletions are sent.")
  var once = false
  @Flag(
    help:
      "Print one JSON object for each change of a destination's state or, with --once, one for each destination at the end."
  )
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
      if let failure = outcome.failure { StandardError.print("\(outcome.name): \(failure)") }
      if let setAside = status?.setAsideText { StandardError.print("\(outcome.name): \(setAside)") }
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
    let reporter = SyncReporter()
    let isJSON = json
    let report: @Sendable (SyncUpdate?) -> Void = { update in
      guard let event = update.map(RunEvent.Sync.init) else { return }
      if let line = isJSON ? try? JSONLine.text(event) : event.text { lines.write(line) }
    }
    let fleet = SyncFleet(store, troubled: { report(reporter.update(ofAll: $0)) }) { destination, progress in
      report(reporter.update(of: destination, progress))
    }
    let names = names.isEmpty ? nil : Set(names)
    do {
      try await untilInterrupted(Interruption()) { try await fleet.run(names) }
    } catch is CancellationError {
      // Canceled by Ctrl-C: stop without an error.
    }
    try lines.finish()
  }
}
