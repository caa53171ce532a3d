public import Foundation

/// A handler that the program calls after processing the changes that an observer query reported. It is only
/// needed for background delivery, and can be called from any thread.
public typealias HKObserverQueryCompletionHandler = () -> Void

/// A query that calls its handler whenever samples are saved or deleted, by any program, until it is stopped.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKObserverQuery: HKQuery, @unchecked Sendable {
  private let request: Result<ChangeRequest, HKError>
  private let handler:
    @Sendable (HKObserverQuery, Set<HKSampleType>?, @escaping @Sendable () -> Void, (any Error)?)
      -> Void

  /// Creates a query that observes the samples of one type.
  /// - Parameter updateHandler: Called soon after the query starts, and after matching samples are saved or
  ///   samples of the type are deleted. Several changes may result in one call. The call does not tell what
  ///   changed. After a call with an error, the query has ended.
  @preconcurrency
  public init(
    sampleType: HKSampleType, predicate: NSPredicate?,
    updateHandler:
      @escaping @Sendable (
        HKObserverQuery, @escaping @Sendable () -> Void, (any Error)?
      ) -> Void
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    request = Result { () throws(HKError) in try ChangeRequest(sampleType, translation) }
    handler = { query, _, completion, error in updateHandler(query, completion, error) }
    super.init(sampleType, translation)
  }

  /// Creates a query that observes the samples that match any of the descriptors.
  /// - Parameter updateHandler: Called at the same times as the handler of a query for one type. It also
  ///   receives the types that changed: all types in the first call, and nil if there is an error.
  @preconcurrency
  public init(
    queryDescriptors: [HKQueryDescriptor],
    updateHandler:
      @escaping @Sendable (
        HKObserverQuery, Set<HKSampleType>?, @escaping @Sendable () -> Void, (any Error)?
      ) -> Void
  ) {
    request = Result { () throws(HKError) in try ChangeRequest(queryDescriptors) }
    handler = updateHandler
    super.init(nil, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let request = try request.get()
      var follower = try await ChangeFollower(request, in: store)
      await store.registerAsRunning()
      await callHandler(request.types, follower.position, store)
      while let types = try await follower.next() { await callHandler(types, follower.position, store) }
    } catch {
      await deliver { self.handler(self, nil, {}, error) }
    }
  }

  private func callHandler(_ types: Set<HKSampleType>, _ position: Int64, _ store: HKHealthStore) async {
    await deliver { self.handler(self, types, { store.acknowledge(types, upTo: position) }, nil) }
  }
}
