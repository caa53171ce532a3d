import Foundation
import HealthKit

/// A view model that is the delegate of a session and of its builder. It is neither Sendable nor final.
enum Delegates: Page {
  private class SessionModel: NSObject, HKWorkoutSessionDelegate, HKLiveWorkoutBuilderDelegate {
    var states: [HKWorkoutSessionState] = []
    var onChange: (() -> Void)?

    func workoutSession(
      _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
      from fromState: HKWorkoutSessionState, date: Date
    ) {
      states.append(toState)
      if toState == .ended { onChange?() }
    }

    func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: Error) {}
    func workoutBuilder(
      _ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>
    ) {}
    func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {}
  }

  static func run() async throws {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .running
    let session = try HKWorkoutSession(
      healthStore: HKHealthStore.inMemory(), configuration: configuration)
    let model = SessionModel()
    session.delegate = model
    session.associatedWorkoutBuilder().delegate = model
    await withCheckedContinuation { continuation in
      model.onChange = { continuation.resume() }
      session.startActivity(with: Date())
      session.end()
    }
    try expect(model.states.first == .running && model.states.last == .ended, "\(model.states)")
  }
}
