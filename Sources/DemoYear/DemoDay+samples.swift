import Foundation
import HealthKit
import StrapSimulator

extension DemoDay {
  /// Adds all samples of the day.
  func append(to samples: inout DemoSamples) throws {
    try addNight(to: &samples)
    addHeartRates(to: &samples)
    addActivity(to: &samples)
    addFigures(to: &samples)
    try addBody(to: &samples)
    try addCold(to: &samples)
    for session in sessions { try DemoTraining(session, of: self).append(to: &samples) }
  }

  private func addNight(to samples: inout DemoSamples) throws {
    try samples.add(
      .sleepAnalysis, HKCategoryValueSleepAnalysis.inBed.rawValue, from: date(night.bed.lowerBound),
      to: date(night.bed.upperBound))
    for stage in night.stages {
      try samples.add(
        .sleepAnalysis, stage.value.rawValue, from: date(stage.span.lowerBound),
        to: date(stage.span.upperBound))
    }
    guard let asleep = night.asleep else { return }
    var random = person.random(index, for: 0x6E32)
    for time in stride(from: asleep.lowerBound + 900, to: asleep.upperBound, by: 1800) {
      let breaths = 14.1 + 0.22 * person.cold(index) + 0.5 * random.normal()
      samples.add(.respiratoryRate, (breaths * 2).rounded() / 2, from: date(time), to: date(time + 300))
    }
    for time in stride(from: asleep.lowerBound + 2400, to: asleep.upperBound, by: 5400) {
      let spread = person.variability(index) * (1 + 0.17 * random.normal())
      samples.add(
        .heartRateVariabilitySDNN, (max(12, spread) * 10).rounded() / 10, from: date(time),
        to: date(time + 60))
      let oxygen = 0.968 - 0.0008 * person.cold(index) + 0.007 * random.normal()
      samples.add(.oxygenSaturation, min(1, (oxygen * 100).rounded() / 100), from: date(time + 120))
    }
  }

  private func addHeartRates(to samples: inout DemoSamples) {
    var random = person.random(index, for: 0x6872)
    var noise = 0.0
    for time in stride(from: 0, to: Self.length, by: 300) {
      let time = time + random.uniform(in: 0..<120)
      noise = 0.75 * noise + random.normal() * (isAsleep(time) ? 0.8 : 2.1)
      let background = random.unit() < 0.12 ? random.uniform(in: 0.2..<0.6) : random.uniform(in: 0..<0.14)
      guard session(around: time, margin: 20) == nil else { continue }
      let rate = heartRate(time, intensity: intensity(time, background)) + noise
      samples.add(.heartRate, max(38, rate).rounded(), from: date(time))
    }
  }

  /// Adds steps, distance, flights of stairs and energy.
  private func addActivity(to samples: inout DemoSamples) {
    var random = person.random(index, for: 0x6163)
    let effort = person.cold(index) > 0 ? 0.35 : 1
    for start in stride(from: 0, to: Self.length, by: 3600) {
      let basal = (isAsleep(start + 1800) ? 68 : 76) * person.weight(index) / 80
      samples.add(
        .basalEnergyBurned, (basal * 10).rounded() / 10, from: date(start), to: date(start + 3600))
    }
    for start in stride(from: 0, to: Self.length, by: Self.slot) {
      let (from, to) = (date(start), date(start + Self.slot))
      let middle = start + Self.slot / 2
      guard !isAsleep(middle), session(around: middle, margin: Self.slot / 2) == nil else { continue }
      let walking = walks.first { $0.span.contains(middle) }
      let steps =
        walking.map { 960 * min(1, $0.intensity + 0.3) * random.uniform(in: 0.8..<1.05) }
        ?? (random.unit() < 0.55 ? random.uniform(in: 6..<105) * effort : 0)
      if steps >= 1 {
        samples.add(.stepCount, steps.rounded(), from: from, to: to, by: .phone)
        samples.add(
          .distanceWalkingRunning, (steps * 0.76).rounded(), from: from, to: to, by: .phone)
        if random.unit() < 0.06 {
          let flights = random.uniform(in: 1..<4).rounded(.down)
          samples.add(.flightsClimbed, flights, from: from, to: to, by: .phone)
        }
      }
      samples.add(
        .activeEnergyBurned, ((steps * 0.042 + 0.7 * effort) * 100).rounded() / 100, from: from, to: to)
      if let walking, walking.intensity > 0.5 { samples.add(.appleExerciseTime, 10, from: from, to: to) }
    }
  }

  /// Adds values that a watch computes from its measurements: resting heart rate, walking average and SDNN.
  private func addFigures(to samples: inout DemoSamples) {
    var random = person.random(index, for: 0x6669)
    samples.add(.restingHeartRate, resting.rounded(), from: date(hours.wake))
    if let walk = walks.last {
      let rate = resting + 9 + 44 * walk.intensity + 2 * random.normal()
      samples.add(.walkingHeartRateAverage, rate.rounded(), from: date(walk.span.upperBound))
    }
    for hour in [10.2, 14.7, 20.9] where !isAsleep(hour * 3600) {
      let time = hour * 3600 + random.uniform(in: -1500..<1500)
      let spread = 0.78 * person.variability(index) * (1 + 0.2 * random.normal())
      guard session(around: time, margin: 1800) == nil else { continue }
      samples.add(
        .heartRateVariabilitySDNN, (max(10, spread) * 10).rounded() / 10, from: date(time),
        to: date(time + 60))
    }
  }

  /// Adds weight and blood pressure.
  private func addBody(to samples: inout DemoSamples) throws {
    var random = person.random(index, for: 0x626F)
    let (weight, time) = (person.weight(index) + 0.18 * random.normal(), date(hours.wake + 1300))
    if [1, 2, 4, 6].contains(weekday), !person.isHoliday(index), random.unit() < 0.9 {
      samples.add(.bodyMass, (weight * 10).rounded() / 10, from: time, by: .scale)
      let fat = 0.222 - 0.041 * person.progress(index) + 0.003 * random.normal()
      samples.add(.bodyFatPercentage, (fat * 1000).rounded() / 1000, from: time, by: .scale)
    }
    if [1, 4].contains(weekday), random.unit() < 0.92 {
      let systolic = person.systolic(index) + 4 * random.normal()
      try samples.addBloodPressure(
        systolic.rounded(), (systolic * 0.63 + 2 * random.normal()).rounded(), at: time + 900)
    }
  }

  /// Adds temperature and symptoms if the person has a cold.
  private func addCold(to samples: inout DemoSamples) throws {
    let excess = person.cold(index)
    guard excess > 0 else { return }
    var random = person.random(index, for: 0x636F)
    for hour in [8.5, 14, 20.5] {
      let temperature = 36.7 + 0.15 * excess + 0.15 * random.normal() + (hour > 18 ? 0.2 : 0)
      samples.add(.bodyTemperature, (temperature * 10).rounded() / 10, from: date(hour * 3600), by: .phone)
    }
    func severity(_ limit: Double) -> HKCategoryValueSeverity {
      excess > limit + 4 ? .severe : excess > limit ? .moderate : .mild
    }
    var symptoms: [(HKCategoryTypeIdentifier, HKCategoryValueSeverity)] = [(.runnyNose, severity(4))]
    if excess > 2.5 { symptoms.append((.coughing, severity(7))) }
    if excess > 5 { symptoms += [(.soreThroat, severity(7)), (.headache, .mild)] }
    if excess > 8.5 { symptoms.append((.fever, .moderate)) }
    for (type, severity) in symptoms {
      try samples.add(
        type, severity.rawValue, from: date(hours.wake), to: date(21 * 3600), by: .phone)
    }
  }
}
