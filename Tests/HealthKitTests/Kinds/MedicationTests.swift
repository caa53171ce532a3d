import HealthKit
import Testing

@Suite struct MedicationTests {
  private func identifier(
    _ text: String = "1", domain: HKHealthConceptDomain = .medication
  ) throws -> HKHealthConceptIdentifier {
    try HKHealthConceptIdentifier(domain: domain, underlyingIdentifier: text)
  }

  private func concept(_ text: String = "1", codings: Set<HKClinicalCoding> = []) throws
    -> HKMedicationConcept
  {
    try HKMedicationConcept(
      identifier: identifier(text), displayText: "Aspirin", generalForm: .tablet, relatedCodings: codings)
  }

  private let coding = HKClinicalCoding(
    system: "http://www.nlm.nih.gov/research/umls/rxnorm", version: nil, code: "1191")

  @Test func `identifiers are equal by value`() throws {
    #expect(try identifier() == identifier())
    #expect(try identifier() != identifier("2"))
    #expect(try identifier() != identifier(domain: HKHealthConceptDomain(rawValue: "other")))
    #expect(try Set([identifier(), identifier()]).count == 1)
    #expect(throws: HKValidationError.self) { try identifier("") }
    #expect(throws: HKValidationError.self) { try identifier(domain: HKHealthConceptDomain(rawValue: "")) }
  }

  @Test func `an identifier can be archived`() throws {
    #expect(try archived(identifier()) == identifier())
    #expect(try readTampered(identifier(), ["domain": nil]) == nil)
  }

  @Test func `a coding can be archived`() throws {
    let versioned = HKClinicalCoding(system: coding.system, version: "2026", code: coding.code)
    #expect(try archived(coding) == coding)
    #expect(try archived(versioned) == versioned)
    #expect(coding != versioned)
    #expect(try readTampered(coding, ["code": nil]) == nil)
  }

  @Test func `a concept belongs to the domain of medications`() throws {
    #expect(throws: HKValidationError.self) {
      try HKMedicationConcept(
        identifier: identifier(domain: HKHealthConceptDomain(rawValue: "other")), displayText: "",
        generalForm: .unknown, relatedCodings: [])
    }
  }

  @Test func `a medication can be archived`() throws {
    let other = HKClinicalCoding(system: "s", version: "1", code: "c")
    for (nickname, codings) in [("Mine", [coding, other]), (nil, [])] as [(String?, Set<HKClinicalCoding>)] {
      let medication = HKUserAnnotatedMedication(
        nickname: nickname, isArchived: nickname == nil, hasSchedule: nickname != nil,
        medication: try concept(codings: codings))
      let same = try #require(try archived(medication))
      #expect(same == medication)
      #expect(same.nickname == nickname)
      #expect((same.isArchived, same.hasSchedule) == (nickname == nil, nickname != nil))
      #expect(same.medication.relatedCodings == codings)
      #expect(same.medication.generalForm == .tablet)
      #expect(same.medication.displayText == "Aspirin")
      #expect(try readTampered(medication, ["medication": nil]) == nil)
    }
    #expect(try concept() != concept(codings: [coding]))
  }

  private func dose(
    _ quantity: Double? = 2, scheduled: Double? = 1, date: Date? = moment(-5),
    domain: HKHealthConceptDomain = .medication
  ) throws -> MedicationDose {
    MedicationDose(
      scheduleType: .schedule, medicationConceptIdentifier: try identifier(domain: domain),
      scheduledDate: date, scheduledDoseQuantity: scheduled, doseQuantity: quantity, logStatus: .taken,
      unit: .count())
  }

  private func event(_ dose: MedicationDose, end: Date = moment()) throws -> HKMedicationDoseEvent {
    try .make(uuid: UUID(), dose, start: moment(), end: end, device: nil, metadata: nil)
  }

  @Test func `a dose has a medication and a number`() throws {
    for value in [-1, Double.nan, .infinity] {
      #expect(throws: HKValidationError.self) { try event(dose(value)) }
      #expect(throws: HKValidationError.self) { try event(dose(scheduled: value)) }
    }
    #expect(throws: HKValidationError.self) { try event(dose(domain: HKHealthConceptDomain(rawValue: "x"))) }
    #expect(throws: HKValidationError.self) { try event(dose(date: Date(timeIntervalSince1970: .nan))) }
    #expect(throws: HKValidationError.self) { try event(dose(), end: moment(-1)) }
    #expect(try event(dose(0)).doseQuantity == 0)
  }

  @Test func `a dose event can be archived`() throws {
    for dose in [try dose(), try dose(nil, scheduled: nil, date: nil)] {
      let event = try event(dose)
      let same = try #require(try archived(event))
      #expect(same == event)
      #expect(same.scheduleType == .schedule)
      #expect(same.medicationConceptIdentifier == (try identifier()))
      #expect(same.scheduledDate == dose.scheduledDate)
      #expect(same.scheduledDoseQuantity == dose.scheduledDoseQuantity)
      #expect(same.doseQuantity == dose.doseQuantity)
      #expect(same.logStatus == .taken)
      #expect(same.unit == .count())
      #expect(same.medicationDoseEventType == .medicationDoseEventType())
      #expect(try readTampered(event, ["status": 0]) == nil)
      #expect(try readTampered(event, ["scheduleType": 3]) == nil)
      #expect(try readTampered(event, ["unit": nil]) == nil)
    }
    #expect(try readTampered(try event(dose()), ["doseQuantity": -1.0]) == nil)
  }
}
