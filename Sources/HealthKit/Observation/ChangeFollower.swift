import HealthStorage

/// Waits until matching samples or a preference of the user change, in this process or another one.
///
/// It subscribes to commits before it reads the change log position, so no commit after its creation is
/// missed.
struct ChangeFollower {
  private let store: HKHealthStore
  private let request: ChangeRequest
  private var ticks: AsyncStream<Void>.Iterator
  /// Reads the observed preference. Nil if only samples are observed.
  private let preference: Preference?
  /// The last known value of the preference.
  private var preferred: [String]
  /// The change log position up to which changes were processed.
  private(set) var position: Int64

  /// Reads a preference as text, which is compared with the text before. Changes of preferences are not in
  /// the change log.
  typealias Preference = @Sendable (SampleDatabase) async throws -> [String]

  /// Starts to observe changes.
  /// - Parameter preference: Reads a preference whose changes are also reported.
  /// - Throws: `HKError` if these types may not be read or the store is inaccessible.
  init(
    _ request: ChangeRequest, or preference: Preference? = nil, in store: HKHealthStore
  ) async throws {
    self.store = store
    self.request = request
    self.preference = preference
    (ticks, position, preferred) = try await HKError.translating {
      let database = try store.admit(.read(request.types))
      let ticks = database.commits().makeAsyncIterator()
      return (ticks, try await database.lastChange(), try await preference?(database) ?? [])
    }
  }

  /// Waits until a matching sample is saved, a sample of one of the types is deleted, or the observed
  /// preference changes.
  /// - Returns: The types with changed samples, or nil if the task is cancelled.
  mutating func next() async throws -> Set<HKSampleType>? {
    while await ticks.next() != nil {
      if let changed = try await changed() { return changed }
    }
    return nil
  }

  private mutating func changed() async throws -> Set<HKSampleType>? {
    let (store, request, before, preference) = (store, request, position, preference)
    let (changed, preferred) = try await HKError.waitingWhileLocked {
      try await HKError.translating {
        // Check access again each time, because the user may have revoked it.
        let database = try store.admit(.read(request.types))
        let changed = try await database.changedTypes(
          request.filters.map { ($0.type.identifier, $0.filter) }, after: before)
        return (changed, try await preference?(database) ?? [])
      }
    }
    defer { self.preferred = preferred }
    position = changed.position
    let types = request.types.filter { changed.types.contains($0.identifier) }
    return types.isEmpty && preferred == self.preferred ? nil : types
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
