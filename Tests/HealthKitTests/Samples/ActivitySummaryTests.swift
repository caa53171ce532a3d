import HealthKit
import Testing

@Suite struct ActivitySummaryTests {
  private typealias Property = ReferenceWritableKeyPath<HKActivitySummary, HKQuantity>

  private let energies: [any Property & Sendable] = [\.activeEnergyBurned, \.activeEnergyBurnedGoal]
  private let times: [any Property & Sendable] = [
    \.appleMoveTime, \.appleMoveTimeGoal, \.appleExerciseTime, \.appleExerciseTimeGoal,
  ]
  private let counts: [any Property & Sendable] = [\.appleStandHours, \.appleStandHoursGoal]

  private func quantity(_ unit: HKUnit, _ value: Double = 3) -> HKQuantity {
    HKQuantity(unit: unit, doubleValue: value)
  }

  @Test func aNewSummaryIsEmpty() {
    let summary = HKActivitySummary()
    for energy in energies { #expect(summary[keyPath: energy] == quantity(.kilocalorie(), 0)) }
    for time in times { #expect(summary[keyPath: time] == quantity(.minute(), 0)) }
    for count in counts { #expect(summary[keyPath: count] == quantity(.count(), 0)) }
    #expect(summary.exerciseTimeGoal == nil)
    #expect(summary.standHoursGoal == nil)
    #expect(summary.activityMoveMode == .activeEnergy)
    #expect(!summary.isPaused)
  }

  @Test func `each value accepts only its unit`() throws {
    let summary = HKActivitySummary()
    for (properties, right, wrong) in [
      (energies, quantity(.jouleUnit(with: .kilo)), quantity(.minute())),
      (times, quantity(.hour()), quantity(.count())), (counts, quantity(.count()), quantity(.hour())),
    ] {
      for property in properties {
        try summary.setValidated(right, for: property)
        #expect(summary[keyPath: property] == right)
        #expect(throws: HKValidationError.self) { try summary.setValidated(wrong, for: property) }
        #expect(summary[keyPath: property] == right)
      }
    }
  }

  @Test func settingTheWrongUnitTraps() async {
    await #expect(processExitsWith: .failure) {
      HKActivitySummary().appleMoveTime = HKQuantity(unit: .count(), doubleValue: 1)
    }
    await #expect(processExitsWith: .failure) {
      HKActivitySummary().standHoursGoal = HKQuantity(unit: .hour(), doubleValue: 1)
    }
  }

  @Test func `the old goal properties return the new ones without nil`() {
    let summary = HKActivitySummary()
    summary.appleExerciseTimeGoal = quantity(.minute(), 30)
    summary.appleStandHoursGoal = quantity(.count(), 12)
    #expect(summary.exerciseTimeGoal == quantity(.minute(), 30))
    #expect(summary.standHoursGoal == quantity(.count(), 12))
    summary.exerciseTimeGoal = nil
    summary.standHoursGoal = nil
    #expect(summary.appleExerciseTimeGoal == quantity(.minute(), 0))
    #expect(summary.appleStandHoursGoal == quantity(.count(), 0))
  }

  @Test(arguments: ["GMT", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Sao_Paulo"])
  func `the day is the same in any time zone`(_ zone: String) throws {
    let summary = HKActivitySummary()
    summary.day = ActivityDay(year: 2024, month: 2, day: 29)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    let components = summary.dateComponents(for: calendar)
    #expect((components.era, components.year, components.month, components.day) == (1, 2024, 2, 29))
    #expect(components.calendar == calendar)
    #expect(components.hour == nil)
  }

  @Test func theDayMayBeReadInAnotherCalendar() {
    let summary = HKActivitySummary()
    summary.day = ActivityDay(year: 2024, month: 2, day: 29)
    let components = summary.dateComponents(for: Calendar(identifier: .buddhist))
    #expect((components.year, components.month, components.day) == (2567, 2, 29))
  }

  @Test func withoutADayThereIsOnlyTheCalendar() {
    let calendar = Calendar(identifier: .gregorian)
    let components = HKActivitySummary().dateComponents(for: calendar)
    #expect(components.calendar == calendar)
    #expect(components.day == nil)
  }

  @Test func aDayMustExist() {
    for (year, month, day) in [
      (2023, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0), (0, 1, 1), (10_000, 1, 1), (.max, .max, .max),
    ] {
      #expect(ActivityDay(year: year, month: month, day: day) == nil)
    }
  }

  private var full: HKActivitySummary {
    let summary = HKActivitySummary()
    for energy in energies { summary[keyPath: energy] = quantity(.kilocalorie(), 412.5) }
    for time in times { summary[keyPath: time] = quantity(.second(), 77) }
    for count in counts { summary[keyPath: count] = quantity(.count(), 9) }
    summary.activityMoveMode = .appleMoveTime
    summary.isPaused = true
    summary.day = ActivityDay(year: 2026, month: 7, day: 4)
    return summary
  }

  @Test func `a copy is independent`() throws {
    let summary = full
    let copy = try #require(summary.copy() as? HKActivitySummary)
    #expect(copy == summary)
    copy.appleStandHours = quantity(.count(), 10)
    #expect(copy != summary)
    #expect(summary == full)
  }

  @Test func `summaries are equal if day and values are`() {
    #expect(full == full)
    #expect(full.hash == full.hash)
    let changes: [(HKActivitySummary) -> Void] = [
      { $0.isPaused = false }, { $0.activityMoveMode = .activeEnergy }, { $0.day = nil },
      { $0.exerciseTimeGoal = nil },
    ]
    for change in changes {
      let other = full
      change(other)
      #expect(other != full)
    }
  }

  @Test func `a summary can be archived`() throws {
    #expect(try archived(full) == full)
    #expect(try archived(HKActivitySummary()) == HKActivitySummary())
  }

  @Test func `an archive with an invalid value is rejected`() throws {
    #expect(try readTampered(full, ["activeEnergyBurned": nil]) == nil)
    #expect(try readTampered(full, ["activityMoveMode": 3]) == nil)
    #expect(try readTampered(full, ["HKUnitStringKey": "mmHg"]) == nil)
    #expect(try readTampered(full, ["month": 13])?.day == nil)
  }
}
