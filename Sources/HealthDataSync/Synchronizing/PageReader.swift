import HealthKit
import HealthStorage

/// Changes of samples of one type, as read from the health store.
struct ReadPage: Sendable {
  let type: HKSampleType
  let changes: SampleChangePage
}

/// Reads the changes of several types in pages, taking turns between types, so that a type with many changes
/// does not delay the others.
actor PageReader {
  private let store: HKHealthStore
  private let filter: SampleFilter
  private let limit: ChangePageLimit
  private var cursors: [String: ChangeLogCursor]
  /// The types that have more changes to read, in the order in which they are read next.
  private var waiting: [HKSampleType]

  /// Creates a reader.
  ///
  /// - Parameter cursors: For each type, the change log position up to which changes were sent.
  init(
    _ store: HKHealthStore, _ types: [HKSampleType], _ filter: SampleFilter,
    after cursors: [String: ChangeLogCursor], _ limit: ChangePageLimit
  ) {
    self.store = store
    self.filter = filter
    self.limit = limit
    self.cursors = cursors
    waiting = types
  }

  /// Returns the next page of changes.
  ///
  /// - Returns: `nil` if no type has more changes.
  func next() async throws -> ReadPage? {
    while !waiting.isEmpty {
      let type = waiting.removeFirst()
      do {
        let page = try await store.changePage(of: type, filter, after: cursors[type.identifier], limit)
        cursors[type.identifier] = page.end
        if !page.isLast { waiting.append(type) }
        return ReadPage(type: type, changes: page)
      } catch HKError.errorAuthorizationNotDetermined {
        // Skip a type for which the program never requested permission, because it cannot read it.
        continue
      }
    }
    return nil
  }
}
