public import Foundation

/// A query that reads the effort of workouts once.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKWorkoutEffortRelationshipQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, the relationships, the new anchor and an error. If there is an error, the
  /// other values are nil.
  public typealias ResultsHandler =
    @Sendable (
      HKWorkoutEffortRelationshipQuery, [HKWorkoutEffortRelationship]?, HKQueryAnchor?, (any Error)?
    ) -> Void

  private let request: Result<EffortRequest, HKError>
  private let handler: ResultsHandler

  /// Creates a query.
  /// - Parameters:
  ///   - predicate: A predicate on workouts; nil for all.
  ///   - anchor: Only relationships newer than the anchor are returned; nil for all.
  ///   - options: Whether to return all samples or only the most relevant one: the latest score entered by
  ///     the user, or the latest estimated score if the user entered no score.
  ///   - resultsHandler: Called once with the relationships or an error. The error is
  ///     errorAuthorizationNotDetermined if the program did not request authorization for workouts and both
  ///     types of effort.
  @preconcurrency
  public init(
    predicate: NSPredicate?, anchor: HKQueryAnchor?, options: HKWorkoutEffortRelationshipQueryOptions,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    request = Result { () throws(HKError) in try EffortRequest(translation, anchor, options) }
    self.handler = handler
    super.init(.workoutType(), translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let result = try await store.effort(request.get())
      await deliver { self.handler(self, result.relationships, result.anchor, nil) }
    } catch {
      await deliver { self.handler(self, nil, nil, error) }
    }
  }
}

/// A query that reads the effort of workouts, once or continuously.
public struct HKWorkoutEffortRelationshipQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
  /// The relationships that were stored after the anchor.
  public struct Result: Sendable {
    public let relationships: [HKWorkoutEffortRelationship]
  }

  private var translation: PredicateTranslation?
  /// The anchor; nil for all relationships.
  public var anchor: HKQueryAnchor?
  /// Whether to return all samples or only the most relevant one.
  public var option: HKWorkoutEffortRelationshipQueryOptions

  /// Creates a query.
  /// - Parameter predicate: A predicate on workouts; nil for all.
  public init(
    predicate: NSPredicate?, anchor: HKQueryAnchor?, option: HKWorkoutEffortRelationshipQueryOptions
  ) {
    translation = predicate.map(PredicateTranslation.init)
    self.anchor = anchor
    self.option = option
  }

  /// An equivalent of the predicate passed to the initializer. Rebuilt on each access because
  /// `NSPredicate` is not Sendable.
  public var predicate: NSPredicate? {
    get { translation?.predicate }
    set { translation = newValue.map(PredicateTranslation.init) }
  }

  /// Runs the query once.
  /// - Throws: `HKError` errorAuthorizationNotDetermined if the program did not request authorization for
  ///   workouts and both types of effort; `CancellationError` if the task is canceled.
  public func result(for store: HKHealthStore) async throws -> Result {
    Result(relationships: try await store.effort(request).relationships)
  }

  /// Returns the current relationships, possibly none, then each change until the task is canceled.
  public func results(for store: HKHealthStore) -> Results {
    Results { try EffortFollower(request, in: store) }
  }

  private var request: EffortRequest {
    get throws(HKError) { try EffortRequest(translation, anchor, option) }
  }

  /// The relationships and their updates. Iterating throws the errors of `result(for:)`.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = Result

    fileprivate let follow: @Sendable () async throws -> EffortFollower

    public func makeAsyncIterator() -> Iterator {
      Iterator(follower: LateFollower(follow))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var follower: LateFollower<EffortFollower>

      /// Returns the next result, or nil after the task is canceled.
      public mutating func next() async throws -> Result? {
        try await follower.next().map { Result(relationships: $0.relationships) }
      }
    }
  }
}
