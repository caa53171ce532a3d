import HealthStorage
import Synchronization

/// Stores summaries in the background, after the statistics for which they were created have been returned.
///
/// Only one task runs at a time. Summaries that arrive meanwhile are dropped and created again by the next
/// statistics query. If the store cannot be written, only that time is lost.
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
  /// Waits until the store has written its summaries of earlier statistics. A program that calculates
  /// statistics and then exits saves the next program that work.
  package func finishUpkeep() async {
    await engine.upkeep.finish()
  }
}
