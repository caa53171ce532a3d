public import Foundation

// Completion-handler versions of the asynchronous functions. Handlers run on a background queue.
extension HKWorkoutBuilder {
  /// A handler that receives whether the call succeeded, and the error if it did not.
  public typealias CompletionHandler = @Sendable (Bool, (any Error)?) -> Void

  /// Completion-handler version of `beginCollection(at:)`.
  @preconcurrency
  public func beginCollection(withStart startDate: Date, completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try begin(at: startDate)
    }
  }

  /// Completion-handler version of `endCollection(at:)`.
  @preconcurrency
  public func endCollection(withEnd endDate: Date, completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.end(at: endDate) }
    }
  }

  /// Completion-handler version of `addSamples(_:)`. If the workout is finished before the handler is called,
  /// it does not include these samples.
  @preconcurrency
  public func add(_ samples: [HKSample], completion: @escaping CompletionHandler) {
    // Start an unstructured task, because this function is not async.
    Task {
      do {
        try await addSamples(samples)
        completion(true, nil)
      } catch {
        completion(false, error)
      }
    }
  }

  /// Completion-handler version of `addMetadata(_:)`.
  @preconcurrency
  public func addMetadata(_ metadata: [String: Any], completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in try add(metadata) }
  }

  /// Completion-handler version of `addWorkoutEvents(_:)`.
  @preconcurrency
  public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent], completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.add(workoutEvents) }
    }
  }

  /// Completion-handler version of `addWorkoutActivity(_:)`.
  @preconcurrency
  public func addWorkoutActivity(
    _ workoutActivity: HKWorkoutActivity, completion: @escaping CompletionHandler
  ) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.add(workoutActivity) }
    }
  }

  /// Completion-handler version of `updateActivity(uuid:end:)`.
  @preconcurrency
  public func updateActivity(uuid: UUID, end: Date, completion: @escaping CompletionHandler) {
    report(to: completion) { () throws(HKError) in
      try change { draft throws(HKError) in try draft.update(uuid, end: end) }
    }
  }

  /// Completion-handler version of `updateActivity(uuid:adding:)`.
  @preconcurrency
  public func updateActivity(
    uuid: UUID, adding metadata: [String: Any], completion: @escaping CompletionHandler
  ) {
    report(to: completion) { () throws(HKError) in try update(uuid, metadata) }
  }

  /// Completion-handler version of `finishWorkout()`.
  @preconcurrency
  public func finishWorkout(completion: @escaping @Sendable (HKWorkout?, (any Error)?) -> Void) {
    // Start an unstructured task, because this function is not async.
    Task {
      do {
        completion(try await finishWorkout(), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  /// Applies the change before returning, so that changes are made in the order of the calls. Then calls the
  /// handler on a background queue.
  private func report(to completion: @escaping CompletionHandler, _ change: () throws(HKError) -> Void) {
    do throws(HKError) {
      try change()
      DispatchQueue.global().async { completion(true, nil) }
    } catch {
      DispatchQueue.global().async { completion(false, error) }
    }
  }
}
