import Foundation
import HealthStorage

/// The effort of which workouts, since when.
struct EffortQuestion: Sendable {
  let workouts: SampleQuestion
  var anchor: HKQueryAnchor?
  let options: HKWorkoutEffortRelationshipQueryOptions

  init(
    _ predicate: PredicateTranslation?, _ anchor: HKQueryAnchor?,
    _ options: HKWorkoutEffortRelationshipQueryOptions
  ) throws(HKError) {
    workouts = try SampleQuestion(.workoutType(), predicate)
    self.anchor = anchor
    self.options = options
  }

  /// Both kinds of effort are read, and what they are about.
  var types: Set<HKObjectType> { Set(Effort.types).union([.workoutType()]) }
}

struct EffortAnswer: Sendable {
  let relationships: [HKWorkoutEffortRelationship]
  let anchor: HKQueryAnchor
}

extension HKHealthStore {
  /// - Throws: `HKError`, as a read of workouts and of both types of effort does.
  func effort(_ question: EffortQuestion) async throws -> EffortAnswer {
    try await HKError.translating {
      let changes = try await admit(.read(question.types)).relations(
        of: question.workouts.filter, with: Effort.filter, after: question.anchor?.position ?? 0,
        of: question.anchor?.store)
      var assembly = SampleAssembly()
      return EffortAnswer(
        relationships: try changes.relations.compactMap { try relationship($0, question.options, &assembly) },
        anchor: HKQueryAnchor(position: changes.position, store: changes.store))
    }
  }

  /// nil for an activity that a newer version of the workout does not have any more.
  private func relationship(
    _ record: RelationRecord, _ options: HKWorkoutEffortRelationshipQueryOptions,
    _ assembly: inout SampleAssembly
  ) throws -> HKWorkoutEffortRelationship? {
    guard let workout = try assembly.sample(record.container) as? HKWorkout else { return nil }
    let activity = workout.workoutActivities.first { $0.uuid == record.part }
    guard record.part == nil || activity != nil else { return nil }
    let samples = try record.members.map { try assembly.sample($0) }
    let relevant =
      switch options {
      case .default: samples
      case .mostRelevant: Effort.mostRelevant(samples).map { [$0] } ?? []
      }
    return HKWorkoutEffortRelationship(workout: workout, activity: activity, samples: relevant)
  }
}
