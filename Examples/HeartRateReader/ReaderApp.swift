import HealthKit
import TerminalEvents

/// Shows the heart rates that the gateway and other programs store, and updates them.
///
/// It asks for permission, shows the stored samples, and repeats the queries after every change.
@main @MainActor final class ReaderApp {
  private let healthStore = HKHealthStore()
  /// Asks for permission, shows the samples, and updates them until it is canceled.
  private var following: Task<Void, Never>?
  private var isAsking = false

  static func main() async {
    await ReaderApp().run()
  }

  private func run() async {
    Screen.show("HeartRateReader: follows heart rates. Enter restarts, Ctrl-D quits.")
    for await _ in ApplicationEvent.stream() { await restart() }
    following?.cancel()
    await following?.value
  }

  private func restart() async {
    guard !isAsking else { return }
    following?.cancel()
    await following?.value
    following = Task {
      do {
        try await askForPermission()
        try await follow()
      } catch is CancellationError {
        return
      } catch {
        Screen.show("\(error.localizedDescription) Press Enter to try again.")
      }
    }
  }

  // MARK: - Permission

  private func askForPermission() async throws {
    let types: Set<HKObjectType> = [HKQuantityType(.heartRate)]
    isAsking = true
    defer { isAsking = false }
    try await healthStore.requestAuthorization(toShare: [], read: types)
    Screen.show("You have answered, and with what, no program can know:")
    Screen.show("what it may not read looks to it like what is not there.")
  }

  // MARK: - Following

  private func follow() async throws {
    var history = HeartRateHistory(healthStore: healthStore)
    let first = try await history.changes()
    Screen.show("\(first.added) heart rates")
    // The summary shows only the samples that are already stored. New samples are printed by the loop below.
    if first.added > 0 { try await showSummary(of: history) }
    for try await _ in history.updates() {
      let changes = try await history.changes()
      show(changes)
      if changes.isMany { try await showSummary(of: history) }
    }
  }

  private func show(_ changes: HeartRateHistory.Changes) {
    for sample in changes.latest {
      Screen.show("+ \(HeartRateLine.text(sample))")
    }
    let more = changes.added - changes.latest.count
    if more > 0 { Screen.show("+ and \(more) more") }
    if changes.deleted > 0 { Screen.show("- \(changes.deleted) deleted") }
  }

  private func showSummary(of history: HeartRateHistory) async throws {
    let latest = try await history.latest(5)
    guard let last = latest.first else { return }
    Screen.show("The latest")
    latest.forEach { Screen.show("  \(HeartRateLine.text($0))") }
    Screen.show("By the hour")
    HourlyChart.lines(try await history.hours(12, endingWith: last.startDate)).forEach(Screen.show)
  }
}
