import Foundation
import HealthKit

/// An observer's completion handler, stored under Apple's type name and called later.
enum ObserverQueries: Page {
  private class Pending {
    private var handlers: [HKObserverQueryCompletionHandler] = []

    func keep(_ handler: @escaping HKObserverQueryCompletionHandler) { handlers.append(handler) }
    func callAll() -> Int {
      for handler in handlers { handler() }
      return handlers.count
    }
  }

  private static func observe(
    _ store: HKHealthStore, _ pending: Pending, onUpdate: @escaping () -> Void
  ) -> HKObserverQuery {
    let query = HKObserverQuery(sampleType: HKQuantityType(.stepCount), predicate: nil) {
      (_: HKObserverQuery, completionHandler: @escaping HKObserverQueryCompletionHandler, _: Error?) in
      // Swift 6 warns: capture of 'pending' with non-Sendable type 'ObserverQueries.Pending'
      pending.keep(completionHandler)
      // Swift 6 warns: capture of 'onUpdate' with non-Sendable type '() -> Void'
      onUpdate()
    }
    store.execute(query)
    return query
  }

  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let pending = Pending()
    await withCheckedContinuation { continuation in
      _ = observe(store, pending) { continuation.resume() }
    }
    try expect(pending.callAll() == 1, "one call")
  }
}
