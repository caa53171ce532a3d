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

  /// First what happened since the anchor, even if that is nothing; then what happens, as it happens, until
  /// the task is cancelled. With a limit no result exceeds it, and the next follows at once.
  public func results(for store: HKHealthStore) -> Results {
    Results { try AnchoredFollower(question, in: store) }
  }

  private var question: AnchoredQuestion {
    get throws(HKError) { AnchoredQuestion(try ChangeQuestion(predicates), anchor, limit) }
  }

  /// What happens, again and again. Throws `HKError` as `result(for:)` does.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let follow: @Sendable () async throws -> AnchoredFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<AnchoredFollower>

      /// nil once the task is cancelled.
      public mutating func next() async throws -> Result? {
        try await follower.next().map { Result($0) }
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
