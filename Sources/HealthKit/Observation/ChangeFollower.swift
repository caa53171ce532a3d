import HealthStorage

/// Waits for changes of some samples, by this program or another.
///
/// What is committed after a follower was made is not missed: it makes sure of its ticks before it looks
/// where the history stands.
struct ChangeFollower {
  private let store: HKHealthStore
  private let question: ChangeQuestion
  private var ticks: AsyncStream<Void>.Iterator
  /// Whose order of sources is watched too, and how it was; nil if none is.
  private var order: (type: HKQuantityType, sources: [Int64])?
  /// How far in the change log it has come.
  private(set) var position: Int64

  /// - Parameter type: of which it is a change as well that the user puts its sources in another order; nil
  ///   for no type.
  /// - Throws: `HKError`, as a read of these types does.
  init(
    _ question: ChangeQuestion, orAnotherOrderOf type: HKQuantityType? = nil, in store: HKHealthStore
  ) async throws {
    self.store = store
    self.question = question
    (ticks, position, order) = try await HKError.translating {
      let database = try store.admit(.read(question.types))
      let ticks = database.commits().makeAsyncIterator()
      let position = try await database.lastChange()
      guard let type else { return (ticks, position, nil) }
      return (ticks, position, (type, try await database.chosenSources(ofType: type.identifier)))
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
    let (store, question, before, ordered) = (store, question, position, order?.type)
    let (changed, sources) = try await HKError.translating {
      // Admitted anew each time: the user may have changed their mind.
      let database = try store.admit(.read(question.types))
      let changed = try await database.changedTypes(
        question.filters.map { ($0.type.identifier, $0.filter) }, after: before)
      guard let ordered else { return (changed, [Int64]()) }
      return (changed, try await database.chosenSources(ofType: ordered.identifier))
    }
    position = changed.position
    var types = question.types.filter { changed.types.contains($0.identifier) }
    if let order, order.sources != sources {
      self.order?.sources = sources
      types.insert(order.type)
    }
    return types
  }
}
