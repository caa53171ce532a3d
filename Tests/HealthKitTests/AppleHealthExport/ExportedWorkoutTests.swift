import AppleHealthExport
import Foundation
import HealthKit
import Testing

/// Tests exporting and importing workouts with several activities.
struct ExportedWorkoutTests {
  private let span = #"startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 10:00:00 +0100""#

  private func statistics(_ type: String, _ sum: String, _ unit: String) -> String {
    #"<WorkoutStatistics type="HKQuantityTypeIdentifier\#(type)" \#(span) sum="\#(sum)" unit="\#(unit)"/>"#
  }

  private func event(_ type: String, _ time: String) -> String {
    #"<WorkoutEvent type="HKWorkoutEventType\#(type)" date="2026-01-01 \#(time) +0100"/>"#
  }

  private func activity(_ number: Int, _ start: String, _ end: String, _ content: String) -> String {
    let span = #"startDate="2026-01-01 \#(start) +0100" endDate="2026-01-01 \#(end) +0100""#
    let uuid = "00000000-0000-4000-8000-00000000000\(number)"
    return #"<WorkoutActivity uuid="\#(uuid)" \#(span)>\#(content)</WorkoutActivity>"#
  }

  private func workout(_ content: String) -> String {
    export(
      #"<Workout workoutActivityType="HKWorkoutActivityTypeSwimBikeRun" sourceName="W" \#(span)>\#(content)</Workout>"#
    )
  }

  @Test func `the distance of a triathlon is the sum of its parts`() async throws {
    let store = try emptyStore()
    let text = workout(
      statistics("DistanceSwimming", "1500", "m") + statistics("DistanceCycling", "40", "km")
        + statistics("DistanceWalkingRunning", "10", "km") + statistics("DistanceCycling", "41", "km"))
    let outcome = try await importing(text, into: store)
    #expect(outcome.stored == 1 && outcome.records.problems.isEmpty)
    let stored = try #require(await samples(in: store).first as? HKWorkout)
    #expect(stored.totalDistance?.doubleValue(for: .meter()) == 52_500)
    let again = try emptyStore()
    try await importing(try await exported(store), into: again)
    #expect(try await stories(of: again) == stories(of: store))
  }

  @Test func `an invalid distance does not cause a crash`() async throws {
    let text = workout(statistics("DistanceSwimming", "1500", "m") + statistics("DistanceCycling", "4", "kg"))
    let outcome = try await importing(text, into: emptyStore())
    #expect(outcome.stored == 1 && outcome.records.problems == [.workoutPart: 1])
  }

  @Test func `an event of an activity is an event of the workout, once`() async throws {
    let store = try emptyStore()
    let (lap, pause, resume) = (
      event("Lap", "08:10:00"), event("Pause", "09:10:00"), event("Resume", "09:20:00")
    )
    let text = workout(
      lap + activity(1, "08:00:00", "08:59:00", lap + event("Marker", "07:00:00"))
        + activity(
          2, "09:00:00", "10:00:00", pause + resume + statistics("StepCount", "100", "count")))
    let outcome = try await importing(text, into: store)
    #expect(outcome.stored == 1 && outcome.records.problems == [.workoutPart: 1])
    #expect(outcome.records.unread == ["WorkoutStatistics HKQuantityTypeIdentifierStepCount": 1])
    let stored = try #require(await samples(in: store).first as? HKWorkout)
    #expect(stored.workoutEvents?.map(\.type) == [.lap, .pause, .resume])
    #expect(stored.workoutActivities.map(\.workoutEvents.count) == [1, 2])
  }
}
