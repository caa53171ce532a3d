import HealthStorage
import Synchronization

/// Writes summaries after the statistics that they were made for have been answered.
///
/// One task at a time: what comes meanwhile is dropped, and the next statistics make it again. If the store
/// cannot be written, only time is lost.
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

  /// Returns when what was begun is done.
  func finish() async {
    await state.withLock { $0.task }?.value
  }
}

extension HKHealthStore {
  /// Returns when the store has written what it keeps of earlier statistics. A program that calculates some
  /// and ends at once saves the next one that work.
  package func finishUpkeep() async {
    await engine.upkeep.finish()
  }
}
