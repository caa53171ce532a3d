/// A query for the samples that were added and deleted since an anchor, once or continuously.
public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: Sendable {
  /// The changes, and the anchor for the next query.
  public struct Result: Sendable {
    public let addedSamples: [Sample]
    public let deletedObjects: [HKDeletedObject]
    public let newAnchor: HKQueryAnchor
  }

  public var predicates: [HKSamplePredicate<Sample>]
  /// The position from which to read changes; nil for all changes.
  public var anchor: HKQueryAnchor?
  /// The maximum number of additions and deletions together; nil for no limit.
  public var limit: Int?

  public init(predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil) {
    self.predicates = predicates
    self.anchor = anchor
    self.limit = limit
  }

  /// Returns the changes since the anchor, from one snapshot of the store. A sample that was added and then
  /// deleted is only reported as deleted.
  /// - Throws: `HKError`; `CancellationError` if the task is canceled.
  public func result(for store: HKHealthStore) async throws -> Result {
    Result(try await store.changes(request))
  }

  /// Returns the changes since the anchor, even if there are none, and then later changes as they occur,
  /// until the task is canceled. If the limit truncates a result, the next one follows immediately.
  public func results(for store: HKHealthStore) -> Results {
    Results { try AnchoredFollower(request, in: store) }
  }

  private var request: AnchoredRequest {
    get throws(HKError) { AnchoredRequest(try ChangeRequest(predicates), anchor, limit) }
  }

  /// The changes over time. Iterating throws the errors of `result(for:)`.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let follow: @Sendable () async throws -> AnchoredFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<AnchoredFollower>

      /// Returns the next result, or nil after the task is canceled.
      public mutating func next() async throws -> Result? {
        try await follower.next().map { Result($0) }
      }
    }
  }
}

extension HKAnchoredObjectQueryDescriptor.Result {
  fileprivate init(_ result: AnchoredResult) {
    self.init(
      addedSamples: result.added.compactMap { $0 as? Sample }, deletedObjects: result.deleted,
      newAnchor: result.anchor)
  }
}
