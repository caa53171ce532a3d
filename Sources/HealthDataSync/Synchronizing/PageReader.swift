import HealthKit
import HealthStorage

/// Changes of one type, as read from the store.
struct ReadPage: Sendable {
  let type: HKSampleType
  let changes: SampleChangePage
}

/// A reader of changes in pages. The types take turns, so that a type with many changes does not delay the
/// others.
actor PageReader {
  private let store: HKHealthStore
  private let filter: SampleFilter
  private let limit: ChangePageLimit
  private var places: [String: ChangeLogPlace]
  /// The types that are not read to the end, in order of their turn.
  private var waiting: [HKSampleType]

  /// Creates a reader.
  ///
  /// - Parameter places: The cursor of each type.
  init(
    _ store: HKHealthStore, _ types: [HKSampleType], _ filter: SampleFilter,
    after places: [String: ChangeLogPlace], _ limit: ChangePageLimit
  ) {
    self.store = store
    self.filter = filter
    self.limit = limit
    self.places = places
    waiting = types
  }

  /// Returns the next page.
  ///
  /// - Returns: `nil` when each type is read to its end.
  func next() async throws -> ReadPage? {
    while !waiting.isEmpty {
      let type = waiting.removeFirst()
      do {
        let page = try await store.changePage(of: type, filter, after: places[type.identifier], limit)
        places[type.identifier] = page.end
        if !page.isLast { waiting.append(type) }
        return ReadPage(type: type, changes: page)
      } catch HKError.errorAuthorizationNotDetermined {
        // A program cannot read a type about which its user was never asked.
        continue
      }
    }
    return nil
  }
}
