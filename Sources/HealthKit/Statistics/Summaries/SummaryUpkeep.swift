import HealthStorage
import Synchronization

/// Stores the summaries of hours in the background, after the statistics from which they were created have
/// been returned.
///
/// Only one task runs at a time. Summaries that are created meanwhile are dropped, and created again by the
/// next statistics query. If the store cannot be written to, later queries only take longer.
final class SummaryUpkeep: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isBusy = false
  }

  private let state = Mutex(State())

  func keep(_ hours: [HourSummary], of type: String, readAt position: Int64, in database: SampleDatabase) {
    guard !hours.isEmpty else { return }
    state.withLock { state in
      guard !state.isBusy else { return }
      state.isBusy = true
      state.task = Task(priority: .utility) {
        try? await database.keep(hours, ofType: type, readAt: position)
        self.state.withLock { $0.isBusy = false }
      }
    }
  }

  /// Waits until the summaries that are being written are stored.
  func finish() async {
    await state.withLock { $0.task }?.value
  }
}

extension HKHealthStore {
  /// Waits until summaries of hours that were created by earlier statistics are stored. If a program calls
  /// this before it exits, the next program computes its statistics faster.
  package func finishUpkeep() async {
    await engine.upkeep.finish()
  }
}
