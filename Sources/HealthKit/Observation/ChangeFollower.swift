import HealthStorage

/// Waits until matching samples change, in this process or another one.
///
/// It subscribes to commits before it reads the change log position, so no commit after its creation is
/// missed.
struct ChangeFollower {
  private let store: HKHealthStore
  private let question: ChangeRequest
  private var ticks: AsyncStream<Void>.Iterator
  /// The type whose user-defined source priority is observed as well, and its last known priority: the row
  /// IDs of the sources. Nil if only samples are observed.
  private var order: (type: HKQuantityType, sources: [Int64])?
  /// The change log position up to which changes were processed.
  private(set) var position: Int64

  /// Starts to observe changes.
  /// - Parameter type: A type for which a change of the user-defined source priority is also reported, or
  ///   nil.
  /// - Throws: `HKError` if these types may not be read or the store is inaccessible.
  init(
    _ question: ChangeRequest, orAnotherOrderOf type: HKQuantityType? = nil, in store: HKHealthStore
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

  /// Waits until a matching sample is saved, a sample of one of the types is deleted, or the observed source
  /// priority changes.
  /// - Returns: The types that changed, or nil if the task is cancelled.
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
      // Check access again each time, because the user may have revoked it.
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

/// The samples whose changes a query observes.
struct ChangeRequest: Sendable {
  let filters: [(type: HKSampleType, filter: SampleFilter)]

  init(filters: [(type: HKSampleType, filter: SampleFilter)]) {
    self.filters = filters
  }

  init(_ type: HKSampleType, _ predicate: PredicateTranslation?) throws(HKError) {
    filters = [(type, try predicate?.filter ?? .everything)]
  }

  init(_ descriptors: [HKQueryDescriptor]) throws(HKError) {
    var filters: [(type: HKSampleType, filter: SampleFilter)] = []
    for descriptor in descriptors {
      filters.append((descriptor.sampleType, try descriptor.translation?.filter ?? .everything))
    }
    self.filters = filters
  }

  init<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) throws(HKError) {
    var filters: [(type: HKSampleType, filter: SampleFilter)] = []
    for predicate in predicates {
      filters.append((predicate.sampleType, try predicate.translation?.filter ?? .everything))
    }
    self.filters = filters
  }

  var types: Set<HKSampleType> { Set(filters.map(\.type)) }
}

/// Runs a query, and runs it again whenever its result may have changed.
protocol ResultObserver {
  associatedtype Answer

  /// Returns the next result, or nil if the task is cancelled.
  mutating func next() async throws -> Answer?
}

/// Creates a `ResultObserver` when `next()` is first called.
struct LateFollower<Follower: ResultObserver> {
  private let make: () async throws -> Follower
  private var follower: Follower?

  init(_ make: @escaping () async throws -> Follower) {
    self.make = make
  }

  mutating func next() async throws -> Follower.Answer? {
    if follower == nil { follower = try await make() }
    return try await follower?.next()
  }
}
