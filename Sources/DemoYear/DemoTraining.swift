import Foundation
import HealthKit
import StrapSimulator

/// The samples of a training session.
struct DemoTraining: Sendable {
  /// Number of days at the end of the year on which the person wears the chest strap during sessions.
  private static let daysWithStrap = 14
  /// Duration in seconds of one heartbeat series.
  private static let seriesLength = 300.0
  /// Duration in seconds of one sample of energy or distance.
  private static let slot = 60.0

  private let session: DemoSession
  private let day: DemoDay

  init(_ session: DemoSession, of day: DemoDay) {
    self.session = session
    self.day = day
  }

  func append(to samples: inout DemoSamples) throws {
    for (number, rate) in session.rates.enumerated() {
      let time = session.start + Double(number) * DemoSession.interval
      samples.add(.heartRate, rate.rounded(), from: day.date(time))
    }
    let person = day.person
    var random = person.random(day.index, for: 0x7472)
    let weight = person.weight(day.index)
    let perSlot = Int(Self.slot / DemoSession.interval)
    var (energy, distance, laps) = (0.0, 0.0, [session.start])
    for first in stride(from: 0, to: session.rates.count, by: perSlot) {
      let rates = session.rates[first..<min(first + perSlot, session.rates.count)]
      let start = session.start + Double(first) * DemoSession.interval
      let seconds = Double(rates.count) * DemoSession.interval
      let (from, to) = (day.date(start), day.date(start + seconds))
      let burned = rates.reduce(0) { $0 + DemoSession.energy(at: $1, weight: weight) }
      energy += burned
      samples.add(.activeEnergyBurned, (burned * 100).rounded() / 100, from: from, to: to)
      guard let speed = session.kind.speed else { continue }
      // The pace follows the heart rate, and the person gets faster during the year.
      let mean = rates.reduce(0, +) / Double(rates.count)
      let effort = (mean - day.resting) / (DemoPerson.maximumHeartRate - day.resting)
      let pace = speed * (0.6 + 0.55 * effort) * (0.95 + 0.1 * person.progress(day.index))
      let meters = (pace * seconds * random.uniform(in: 0.95..<1.05) * 10).rounded() / 10
      let lap = Int(distance / 1000)
      distance += meters
      if Int(distance / 1000) > lap { laps.append(start + seconds) }
      samples.add(
        session.kind == .ride ? .distanceCycling : .distanceWalkingRunning, meters, from: from, to: to)
      let steps = (session.kind.cadence * seconds * random.uniform(in: 0.96..<1.04)).rounded()
      if steps > 0 { samples.add(.stepCount, steps, from: from, to: to) }
    }
    let (start, end) = (day.date(session.start), day.date(session.end))
    samples.add(.appleExerciseTime, (session.duration / 60).rounded(), from: start, to: end)
    try addWorkout(energy, distance, laps, to: &samples)
    addFigures(&random, to: &samples)
    if day.index >= person.days - Self.daysWithStrap { try addStrap(&random, to: &samples) }
  }

  private func addWorkout(
    _ energy: Double, _ distance: Double, _ laps: [Double], to samples: inout DemoSamples
  ) throws {
    var workout = HKWorkout.Whole(
      uuid: samples.uuid(), activityType: session.kind.activity, start: day.date(session.start),
      end: day.date(session.end))
    workout.energyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: energy.rounded())
    if distance > 0 { workout.distance = HKQuantity(unit: .meter(), doubleValue: distance.rounded()) }
    if session.kind.cadence > 2 {
      workout.events = try zip(laps, laps.dropFirst()).map { start, end in
        try HKWorkoutEvent.make(
          type: .lap, dateInterval: DateInterval(start: day.date(start), end: day.date(end)), metadata: nil)
      }
    }
    try samples.add(workout)
  }

  private func addFigures(_ random: inout SplitMix64, to samples: inout DemoSamples) {
    let end = day.date(session.end)
    if let last = session.rates.last, session.kind != .yoga {
      let recovery = max(12, (last - day.resting) * 0.45 + 2 * random.normal())
      samples.add(.heartRateRecoveryOneMinute, recovery.rounded(), from: end + 60)
    }
    if session.kind == .run {
      let uptake = day.person.oxygenUptake(day.index)
      samples.add(.vo2Max, (uptake * 10).rounded() / 10, from: end + 90)
    }
  }

  /// Adds the strap's samples: each heartbeat, and one heart rate per second.
  private func addStrap(_ random: inout SplitMix64, to samples: inout DemoSamples) throws {
    let phases = stride(from: 4, to: session.rates.count, by: 4).map { number in
      HeartProgramme.Phase(duration: 4 * DemoSession.interval, heartRate: session.rates[number])
    }
    var programme = HeartProgramme(restingHeartRate: day.resting, phases: phases)
    programme.phases.append(HeartProgramme.Phase(duration: 600, heartRate: day.resting + 20))
    var heart = Heart(programme: programme, ectopicProbability: 0.0008, seed: random.next())
    var (offsets, first, recent, second) = ([] as [Double], 0.0, [] as [Double], 1.0)
    while true {
      let beat = heart.nextBeat()
      // Round to the resolution of a strap's clock, 1/1024 s.
      let time = (beat.time * 1024).rounded(.down) / 1024
      recent = recent.suffix(5) + [beat.interval]
      while second <= time, second < session.duration {
        let rate = 60 * Double(recent.count) / recent.reduce(0, +)
        samples.addStrapRate(rate.rounded(), at: day.date(session.start + second))
        second += 1
      }
      if time - first > Self.seriesLength || time >= session.duration {
        try samples.addBeats(offsets, from: day.date(session.start + first))
        (offsets, first) = ([], time)
      }
      if time >= session.duration { return }
      offsets.append(time - first)
    }
  }
}
