public import Foundation

/// The same in the style of completion handlers, which run on a background queue.
extension HKWorkoutBuilder {
  /// What Apple's handlers are told.
  public typealias CompletionHandler = @Sendable (Bool, (any Error)?) -> Void

  /// As `beginCollection(at:)`.
  @preconcurrency
  public func beginCollection(withStart startDate: Date, completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try begin(at: startDate)
    }
  }

  /// As `endCollection(at:)`.
  @preconcurrency
  public func endCollection(withEnd endDate: Date, completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.end(at: endDate) }
    }
  }

  /// As `addSamples(_:)`. A workout that is finished before the handler is called does not have them.
  @preconcurrency
  public func add(_ samples: [HKSample], completion: @escaping CompletionHandler) {
    // A completion handler has no task to be a child of.
    Task {
      do {
        try await addSamples(samples)
        completion(true, nil)
      } catch {
        completion(false, error)
      }
    }
  }

  /// As `addMetadata(_:)`.
  @preconcurrency
  public func addMetadata(_ metadata: [String: Any], completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in try add(metadata) }
  }

  /// As `addWorkoutEvents(_:)`.
  @preconcurrency
  public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent], completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.add(workoutEvents) }
    }
  }

  /// As `addWorkoutActivity(_:)`.
  @preconcurrency
  public func addWorkoutActivity(
    _ workoutActivity: HKWorkoutActivity, completion: @escaping CompletionHandler
  ) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.add(workoutActivity) }
    }
  }

  /// As `updateActivity(uuid:end:)`.
  @preconcurrency
  public func updateActivity(uuid: UUID, end: Date, completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.update(uuid, end: end) }
    }
  }

  /// As `updateActivity(uuid:adding:)`.
  @preconcurrency
  public func updateActivity(
    uuid: UUID, adding metadata: [String: Any], completion: @escaping CompletionHandler
  ) {
    report(to: completion) { () throws(HKError) in try update(uuid, metadata) }
  }

  /// As `finishWorkout()`.
  @preconcurrency
  public func finishWorkout(completion: @escaping @Sendable (HKWorkout?, (any Error)?) -> Void) {
    // A completion handler has no task to be a child of.
    Task {
      do {
        completion(try await finishWorkout(), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  /// Changes come in the order of the calls, whoever hears of them when.
  private func report(to completion: @escaping CompletionHandler, _ change: () throws(HKError) -> Void) {
    do throws(HKError) {
      try change()
      DispatchQueue.global().async { completion(true, nil) }
    } catch {
      DispatchQueue.global().async { completion(false, error) }
    }
  }
}
