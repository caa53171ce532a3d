public import Foundation

extension HKHealthStore {
  /// Returns the session that is running in this process, or nil. A session ends with its process.
  public func recoverActiveWorkoutSession() async throws -> HKWorkoutSession? {
    engine.session.current
  }

  /// Completion-handler version of `recoverActiveWorkoutSession()`. The handler runs on a background queue.
  @preconcurrency
  public func recoverActiveWorkoutSession(
    completion: @escaping @Sendable (HKWorkoutSession?, (any Error)?) -> Void
  ) {
    Task { completion(engine.session.current, nil) }
  }

  /// A handler that is never called, because there is no companion device that could mirror a session.
  @preconcurrency
  public var workoutSessionMirroringStartHandler: (@Sendable (HKWorkoutSession) -> Void)? {
    get { engine.session.mirroring }
    set { engine.session.mirroring = newValue }
  }
}

// MARK: - Deprecated control by the store

extension HKHealthStore {
  @available(*, deprecated, message: "use the session's startActivity(with:)")
  public func start(_ workoutSession: HKWorkoutSession) { workoutSession.startActivity(with: nil) }

  @available(*, deprecated, message: "use the session's end()")
  public func end(_ workoutSession: HKWorkoutSession) { workoutSession.end() }

  @available(*, deprecated, message: "use the session's pause()")
  public func pause(_ workoutSession: HKWorkoutSession) { workoutSession.pause() }

  @available(*, deprecated, message: "use the session's resume()")
  public func resumeWorkoutSession(_ workoutSession: HKWorkoutSession) { workoutSession.resume() }
}

// MARK: - Mirroring

extension HKWorkoutSession {
  private static let noDevice = HKError(
    .errorHealthDataUnavailable, reason: "there is no companion device")

  /// Always fails: there is no companion device.
  /// - Throws: `HKError` errorHealthDataUnavailable.
  public func startMirroringToCompanionDevice() async throws { throw Self.noDevice }

  /// Completion-handler version of `startMirroringToCompanionDevice()`. The handler runs on a background
  /// queue.
  @preconcurrency
  public func startMirroringToCompanionDevice(
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    Task { completion(false, Self.noDevice) }
  }

  /// Always fails: there is no companion device.
  /// - Throws: `HKError` errorHealthDataUnavailable.
  public func stopMirroringToCompanionDevice() async throws { throw Self.noDevice }

  /// Completion-handler version of `stopMirroringToCompanionDevice()`. The handler runs on a background
  /// queue.
  @preconcurrency
  public func stopMirroringToCompanionDevice(
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    Task { completion(false, Self.noDevice) }
  }

  /// Always fails: there is no companion device.
  /// - Throws: `HKError` errorHealthDataUnavailable.
  public func sendToRemoteWorkoutSession(data: Data) async throws { throw Self.noDevice }

  /// Completion-handler version of `sendToRemoteWorkoutSession(data:)`. The handler runs on a background
  /// queue.
  @preconcurrency
  public func sendToRemoteWorkoutSession(
    data: Data, completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    Task { completion(false, Self.noDevice) }
  }
}
