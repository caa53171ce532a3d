/// Asks for what was added and deleted since an anchor, once or again and again.
public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: Sendable {
  /// What happened, and where to go on.
  public struct Result: Sendable {
    public let addedSamples: [Sample]
    public let deletedObjects: [HKDeletedObject]
    public let newAnchor: HKQueryAnchor
  }

  public var predicates: [HKSamplePredicate<Sample>]
  /// nil for everything from the beginning.
  public var anchor: HKQueryAnchor?
  /// Additions and deletions together; nil for no limit.
  public var limit: Int?

  public init(predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil) {
    self.predicates = predicates
    self.anchor = anchor
    self.limit = limit
  }

  /// One snapshot of the store. A sample that was added and deleted since the anchor is reported as deleted.
  /// - Throws: `HKError`; `CancellationError` if the task is cancelled.
  public func result(for store: HKHealthStore) async throws -> Result {
    Result(try await store.changes(question))
  }

  /// At first what happened since the anchor, which may be nothing, then what happens as it happens, until the task is
  /// cancelled. With a limit a result holds no more than that, and the next follows at once.
  public func results(for store: HKHealthStore) -> Results {
    Results(descriptor: self, store: store)
  }

  private var question: AnchoredQuestion {
    get throws(HKError) { AnchoredQuestion(try ChangeQuestion(predicates), anchor, limit) }
  }

  /// What happens, again and again. Throws `HKError` as `result(for:)` does.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let descriptor: HKAnchoredObjectQueryDescriptor
    fileprivate let store: HKHealthStore

    public func makeAsyncIterator() -> Iterator {
      Iterator(descriptor: descriptor, store: store)
    }

    public struct Iterator: AsyncIteratorProtocol {
      private let descriptor: HKAnchoredObjectQueryDescriptor
      private let store: HKHealthStore
      private var follower: AnchoredFollower?

      fileprivate init(descriptor: HKAnchoredObjectQueryDescriptor, store: HKHealthStore) {
        self.descriptor = descriptor
        self.store = store
      }

      /// nil once the task is cancelled.
      public mutating func next() async throws -> Result? {
        var follower = try follower ?? AnchoredFollower(descriptor.question, in: store)
        defer { self.follower = follower }
        return try await follower.next().map { Result($0) }
      }
    }
  }
}

extension HKAnchoredObjectQueryDescriptor.Result {
  fileprivate init(_ answer: AnchoredAnswer) {
    self.init(
      addedSamples: answer.added.compactMap { $0 as? Sample }, deletedObjects: answer.deleted,
      newAnchor: answer.anchor)
  }
}
