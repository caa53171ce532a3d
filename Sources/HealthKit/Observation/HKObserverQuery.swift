public import Foundation

/// What an observer calls once it has dealt with an update. It matters for background delivery only. An
/// observer may call it from any thread.
public typealias HKObserverQueryCompletionHandler = () -> Void

/// Tells when samples are saved or deleted, by whatever program, until it is stopped.
// @unchecked: as for HKQuery.
open class HKObserverQuery: HKQuery, @unchecked Sendable {
  private let question: Result<ChangeQuestion, HKError>
  private let handler:
    @Sendable (HKObserverQuery, Set<HKSampleType>?, @escaping @Sendable () -> Void, (any Error)?)
      -> Void

  /// - Parameter updateHandler: called soon after the query is executed, and then after every save of
  ///   matching samples and every deletion of samples of the type; several may be one call. It does not say
  ///   what changed. With an error the query is over.
  @preconcurrency
  public init(
    sampleType: HKSampleType, predicate: NSPredicate?,
    updateHandler:
      @escaping @Sendable (
        HKObserverQuery, @escaping @Sendable () -> Void, (any Error)?
      ) -> Void
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) in try ChangeQuestion(sampleType, translation) }
    handler = { query, _, completion, error in updateHandler(query, completion, error) }
    super.init(sampleType, translation)
  }

  /// Observes what matches any of the descriptors.
  /// - Parameter updateHandler: as for one type. Beside the query come the types that changed: in the first
  ///   call all of them, with an error none.
  @preconcurrency
  public init(
    queryDescriptors: [HKQueryDescriptor],
    updateHandler:
      @escaping @Sendable (
        HKObserverQuery, Set<HKSampleType>?, @escaping @Sendable () -> Void, (any Error)?
      ) -> Void
  ) {
    question = Result { () throws(HKError) in try ChangeQuestion(queryDescriptors) }
    handler = updateHandler
    super.init(nil, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let question = try question.get()
      var follower = try await ChangeFollower(question, in: store)
      await store.registerAsRunning()
      await tell(question.types, follower.position, store)
      while let types = try await follower.next() { await tell(types, follower.position, store) }
    } catch {
      await deliver { self.handler(self, nil, {}, error) }
    }
  }

  private func tell(_ types: Set<HKSampleType>, _ position: Int64, _ store: HKHealthStore) async {
    await deliver { self.handler(self, types, { store.acknowledge(types, upTo: position) }, nil) }
  }
}
