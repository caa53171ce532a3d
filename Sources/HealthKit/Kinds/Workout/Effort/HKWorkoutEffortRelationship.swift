public import Foundation

/// A workout, or one of its activities, and the samples that rate its effort. Immutable. Relationships are
/// equal if all three values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKWorkoutEffortRelationship: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let workout: HKWorkout
  /// The activity; nil for the workout as a whole.
  public let activity: HKWorkoutActivity?
  /// Samples of the types `workoutEffortScore` and `estimatedWorkoutEffortScore`.
  public let samples: [HKSample]?

  init(workout: HKWorkout, activity: HKWorkoutActivity?, samples: [HKSample]?) {
    self.workout = workout
    self.activity = activity
    self.samples = samples
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKWorkoutEffortRelationship else { return false }
    return other.workout == workout && other.activity == activity && other.samples == samples
  }

  open override var hash: Int { workout.hash }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(workout, forKey: ArchiveKey.workout)
    coder.encode(activity, forKey: ArchiveKey.activity)
    coder.encode(samples.map { $0 as NSArray }, forKey: ArchiveKey.samples)
  }

  public required init?(coder: NSCoder) {
    guard let workout = coder.object(HKWorkout.self, forKey: ArchiveKey.workout) else { return nil }
    self.workout = workout
    activity = coder.object(HKWorkoutActivity.self, forKey: ArchiveKey.activity)
    samples = coder.objects(HKQuantitySample.self, forKey: ArchiveKey.samples)
  }

  private enum ArchiveKey {
    static let workout = "workout"
    static let activity = "activity"
    static let samples = "samples"
  }
}
