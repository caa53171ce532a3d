import HealthStorage

/// Waits for changes of some samples, by this program or another.
///
/// What is committed after a follower was made is not missed: it makes sure of its ticks before it looks where the history
/// stands.
struct ChangeFollower {
  private let store: HKHealthStore
  private let question: ChangeQuestion
  private var ticks: AsyncStream<Void>.Iterator
  /// How far in the change log it has come.
  private(set) var position: Int64

  /// - Throws: `HKError`, as a read of these types does.
  init(_ question: ChangeQuestion, in store: HKHealthStore) async throws {
    self.store = store
    self.question = question
    (ticks, position) = try await HKError.translating {
      let database = try store.admit(.read(question.types))
      return (database.commits().makeAsyncIterator(), try await database.lastChange())
    }
  }

  /// Waits until a matching sample was saved, or a sample of one of the types deleted.
  /// - Returns: the types of which that is so; nil once the task is cancelled.
  mutating func next() async throws -> Set<HKSampleType>? {
    while await ticks.next() != nil {
      let changed = try await changed()
      if !changed.isEmpty { return changed }
    }
    return nil
  }

  private mutating func changed() async throws -> Set<HKSampleType> {
    let (store, question, before) = (store, question, position)
    let changed = try await HKError.translating {
      // Admitted anew each time: the user may have changed their mind.
      try await store.admit(.read(question.types)).changedTypes(
        question.filters.map { ($0.type.identifier, $0.filter) }, after: before)
    }
    position = changed.position
    return question.types.filter { changed.types.contains($0.identifier) }
  }
}
