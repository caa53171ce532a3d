public import Foundation

/// Asks how hard workouts were, once or again and again.
public struct HKWorkoutEffortRelationshipQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
  /// What has a relation that is newer than the anchor.
  public struct Result: Sendable {
    public let relationships: [HKWorkoutEffortRelationship]
  }

  private var translation: PredicateTranslation?
  /// nil for everything from the beginning.
  public var anchor: HKQueryAnchor?
  /// Whether all samples come or the one that counts.
  public var option: HKWorkoutEffortRelationshipQueryOptions

  /// - Parameter predicate: on workouts; nil for all.
  public init(
    predicate: NSPredicate?, anchor: HKQueryAnchor?, option: HKWorkoutEffortRelationshipQueryOptions
  ) {
    translation = predicate.map(PredicateTranslation.init)
    self.anchor = anchor
    self.option = option
  }

  /// An equivalent of the predicate given, since an `NSPredicate` must not cross threads.
  public var predicate: NSPredicate? {
    get { translation?.predicate }
    set { translation = newValue.map(PredicateTranslation.init) }
  }

  /// One snapshot of the store.
  /// - Throws: `HKError`: errorAuthorizationNotDetermined if the user was not asked about workouts and both
  ///   types of effort; `CancellationError` if the task is cancelled.
  public func result(for store: HKHealthStore) async throws -> Result {
    Result(relationships: try await store.effort(question).relationships)
  }

  /// At first what is related, which may be nothing, then what is related anew, until the task is cancelled.
  public func results(for store: HKHealthStore) -> Results {
    Results { try EffortFollower(question, in: store) }
  }

  private var question: EffortQuestion {
    get throws(HKError) { try EffortQuestion(translation, anchor, option) }
  }

  /// What is related, again and again. Throws `HKError` as `result(for:)` does.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let follow: @Sendable () async throws -> EffortFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<EffortFollower>

      /// nil once the task is cancelled.
      public mutating func next() async throws -> Result? {
        try await follower.next().map { Result(relationships: $0.relationships) }
      }
    }
  }
}
