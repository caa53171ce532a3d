import HealthStorage
import Synchronization

/// Stores hourly summaries in the background, after the statistics that they were created with have been
/// returned.
///
/// Only one task runs at a time. Summaries created in the meantime are dropped, and created again by the next
/// statistics query. If the store cannot be written to, later queries are slower but still correct.
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
  /// Waits until the hourly summaries created by earlier statistics queries are stored. If a program calls
  /// this before it exits, the next program computes its statistics faster.
  package func finishUpkeep() async {
    await engine.upkeep.finish()
  }
}
