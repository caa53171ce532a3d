import Testing

@testable import HealthKit

@Suite struct NoSamplePredicateTests {
  private var gregorian: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  private func components(_ year: Int, _ month: Int, _ day: Int) -> DateComponents {
    DateComponents(calendar: gregorian, era: 1, year: year, month: month, day: day)
  }

  @Test func `activity summaries of a day, and of a range with both ends`() throws {
    let summaries = [(2023, 12, 31), (2024, 1, 1), (2024, 2, 1)].map { year, month, day in
      let summary = HKActivitySummary()
      summary.day = ActivityDay(year: year, month: month, day: day)
      return summary
    }
    func found(_ predicate: NSPredicate) -> [Int] {
      summaries.indices.filter { predicate.evaluate(with: summaries[$0]) }
    }
    #expect(found(HKQuery.predicateForActivitySummary(with: components(2024, 1, 1))) == [1])
    let range = { HKQuery.predicate(forActivitySummariesBetweenStart: $0, end: $1) }
    #expect(found(range(components(2023, 12, 31), components(2024, 1, 1))) == [0, 1])
    #expect(found(range(components(2024, 1, 2), components(2024, 3, 1))) == [2])
    #expect(found(range(components(2024, 3, 1), components(2023, 1, 1))) == [])
    #expect(
      found(
        NSCompoundPredicate(
          notPredicateWithSubpredicate: range(components(2024, 1, 1), components(2024, 1, 1)))) == [0, 2])
    #expect(!range(components(2000, 1, 1), components(2030, 1, 1)).evaluate(with: HKActivitySummary()))
    // A predicate for the date components of a summary finds that summary.
    let zone = try #require(TimeZone(identifier: "Pacific/Auckland"))
    for var calendar in [Calendar(identifier: .japanese), Calendar(identifier: .gregorian)] {
      calendar.timeZone = zone
      let own = summaries[2].dateComponents(for: calendar)
      #expect(found(HKQuery.predicateForActivitySummary(with: own)) == [2])
    }
  }

  @Test func `components without a calendar, or of an invalid day, match no day`() {
    let wrong = [
      DateComponents(year: 2024, month: 1, day: 1), DateComponents(calendar: gregorian),
      DateComponents(calendar: gregorian, year: 2024, month: 1),
      DateComponents(calendar: gregorian, era: 0, year: 5, month: 1, day: 1),
    ]
    for components in wrong {
      #expect(throws: HKValidationError.self) { try ActivityDay(components) }
    }
  }

  @Test func `medications that are archived or have a schedule`() throws {
    func medication(_ isArchived: Bool, _ hasSchedule: Bool) throws -> HKUserAnnotatedMedication {
      let identifier = try HKHealthConceptIdentifier(domain: .medication, underlyingIdentifier: "1")
      return HKUserAnnotatedMedication(
        nickname: nil, isArchived: isArchived, hasSchedule: hasSchedule,
        medication: try HKMedicationConcept(
          identifier: identifier, displayText: "Aspirin", generalForm: .tablet, relatedCodings: []))
    }
    let all = [try medication(true, false), try medication(false, true)]
    for (place, medication) in all.enumerated() {
      let archived = HKQuery.predicateForUserAnnotatedMedications(isArchived: true)
      let scheduled = HKQuery.predicateForUserAnnotatedMedications(hasSchedule: true)
      #expect(archived.evaluate(with: medication) == (place == 0))
      #expect(scheduled.evaluate(with: medication) == (place == 1))
      #expect(
        HKQuery.predicateForUserAnnotatedMedications(isArchived: false).evaluate(with: medication)
          == (place == 1))
      #expect(
        NSCompoundPredicate(orPredicateWithSubpredicates: [archived, scheduled]).evaluate(with: medication))
      #expect(!archived.evaluate(with: heartRate(1, at: 0)))
    }
  }
}
