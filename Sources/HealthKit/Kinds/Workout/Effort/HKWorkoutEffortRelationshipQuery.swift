public import Foundation

/// Asks how hard workouts were, once.
// @unchecked: as for HKQuery.
open class HKWorkoutEffortRelationshipQuery: HKQuery, @unchecked Sendable {
  /// With an error the other values are nil.
  public typealias ResultsHandler =
    @Sendable (
      HKWorkoutEffortRelationshipQuery, [HKWorkoutEffortRelationship]?, HKQueryAnchor?, (any Error)?
    ) -> Void

  private let question: Result<EffortQuestion, HKError>
  private let handler: ResultsHandler

  /// - Parameters:
  ///   - predicate: on workouts; nil for all.
  ///   - anchor: nil for everything from the beginning; else what has a relation that is newer.
  ///   - options: whether all samples come or the one that counts: the last of the user's own, else the last
  ///     estimated.
  ///   - resultsHandler: called once, with the relationships by their workouts, or an error:
  ///     errorAuthorizationNotDetermined if the user was not asked about workouts and both types of effort.
  @preconcurrency
  public init(
    predicate: NSPredicate?, anchor: HKQueryAnchor?, options: HKWorkoutEffortRelationshipQueryOptions,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) in try EffortQuestion(translation, anchor, options) }
    self.handler = handler
    super.init(.workoutType(), translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let answer = try await store.effort(question.get())
      await deliver { self.handler(self, answer.relationships, answer.anchor, nil) }
    } catch {
      await deliver { self.handler(self, nil, nil, error) }
    }
  }
}
