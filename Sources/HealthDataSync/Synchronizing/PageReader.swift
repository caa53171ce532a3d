import HealthKit
import HealthStorage

/// Some changes of one type, as they were read.
struct ReadPage: Sendable {
  let type: HKSampleType
  let changes: SampleChangePage
}

/// Reads what there is to carry, page after page, each type in its turn: a type with a long backlog does not
/// keep the others waiting.
actor PageReader {
  private let store: HKHealthStore
  private let filter: SampleFilter
  private let limit: ChangePageLimit
  private var places: [String: ChangeLogPlace]
  /// Those that have not been read to the end, the next one first.
  private var waiting: [HKSampleType]

  /// - Parameter places: where each type begins.
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

  /// - Returns: nil once each type has been read to its end.
  func next() async throws -> ReadPage? {
    while !waiting.isEmpty {
      let type = waiting.removeFirst()
      do {
        let page = try await store.changePage(of: type, filter, after: places[type.identifier], limit)
        places[type.identifier] = page.end
        if !page.isLast { waiting.append(type) }
        return ReadPage(type: type, changes: page)
      } catch HKError.errorAuthorizationNotDetermined {
        // A program sees nothing of a type that its user was never asked about.
        continue
      }
    }
    return nil
  }
}
