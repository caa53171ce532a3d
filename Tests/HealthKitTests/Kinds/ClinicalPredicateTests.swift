import Testing

@testable import HealthKit

// The store of each test also contains a heart rate, which none of the predicates matches.

@Suite struct ClinicalPredicateTests {
  /// Returns the indexes of the matching samples.
  @available(*, deprecated)
  private func places(
    _ predicate: NSPredicate, among samples: [HKSample], source: String = "p"
  ) async throws -> [Int] {
    let store = try HKHealthStore.inMemory()
    try await store.acting(as: HKSource(name: source, bundleIdentifier: source)).save(samples)
    try await store.save(heartRate(1, at: 0))
    #expect(!predicate.evaluate(with: heartRate(1, at: 0)))
    var places: [Int] = []
    for type in Set(samples.map(\.sampleType)) {
      places += try await found(predicate, .sample(type: type), in: store).compactMap {
        samples.firstIndex(of: $0)
      }
    }
    return places.sorted()
  }

  @available(*, deprecated)
  @Test func `predicates for the classification of electrocardiograms`() async throws {
    func recording(
      _ classification: HKElectrocardiogram.Classification, _ symptoms: HKElectrocardiogram.SymptomsStatus
    ) throws -> HKElectrocardiogram {
      try .make(
        start: moment(), end: moment(30), voltageMeasurements: [], samplingFrequency: nil,
        classification: classification, averageHeartRate: nil, symptomsStatus: symptoms)
    }
    let all = [try recording(.sinusRhythm, .present), try recording(.atrialFibrillation, .none)]
    #expect(
      try await places(
        HKQuery.predicateForElectrocardiograms(classification: .atrialFibrillation), among: all) == [1])
    #expect(
      try await places(HKQuery.predicateForElectrocardiograms(symptomsStatus: .present), among: all) == [0])
  }

  @available(*, deprecated)
  @Test func `predicates for the FHIR resource of clinical records`() async throws {
    func record(
      _ type: HKClinicalTypeIdentifier, _ resource: HKFHIRResourceType?, _ identifier: String
    ) throws -> HKClinicalRecord {
      try .make(
        uuid: UUID(), type: HKClinicalType(type), displayName: "n",
        fhirResource: resource.map {
          try HKFHIRResource(
            fhirVersion: HKFHIRVersion(fromVersionString: "4.0.1"), resourceType: $0, identifier: identifier,
            data: Data("{}".utf8), sourceURL: nil)
        }, start: moment(), end: moment(), device: nil, metadata: nil)
    }
    let all = [
      try record(.labResultRecord, .observation, "1"), try record(.vitalSignRecord, .observation, "2"),
      try record(.conditionRecord, .condition, "1"), try record(.labResultRecord, nil, "1"),
    ]
    #expect(
      try await places(HKQuery.predicateForClinicalRecords(withFHIRResourceType: .observation), among: all)
        == [0, 1])
    func one(_ source: String) async throws -> [Int] {
      try await places(
        HKQuery.predicateForClinicalRecords(
          from: HKSource(name: "p", bundleIdentifier: "p"), fhirResourceType: .observation, identifier: "1"),
        among: all, source: source)
    }
    #expect(try await one("p") == [0])
    #expect(try await one("q") == [])
  }

  @available(*, deprecated)
  @Test func `predicates for the relevant date of verifiable records include both ends`() async throws {
    let all = try [0, 1, 2, 3].map { seconds in
      try HKVerifiableClinicalRecord.make(
        uuid: UUID(),
        VerifiableClinicalContent(
          recordTypes: [], issuerIdentifier: "i",
          subject: HKVerifiableClinicalRecordSubject(fullName: "n", dateOfBirthComponents: nil),
          issuedDate: moment(), relevantDate: moment(seconds), expirationDate: nil, itemNames: [],
          sourceType: nil, dataRepresentation: Data()), device: nil, metadata: nil)
    }
    let predicate = HKQuery.predicateForVerifiableClinicalRecords(
      withRelevantDateWithin: DateInterval(start: moment(1), end: moment(2)))
    #expect(try await places(predicate, among: all) == [1, 2])
  }

  @available(*, deprecated)
  @Test func `predicates for kind, label, association and valence of states of mind`() async throws {
    let all = [
      HKStateOfMind(
        date: moment(), kind: .dailyMood, valence: -0.5, labels: [.sad, .calm], associations: [.work]),
      HKStateOfMind(
        date: moment(), kind: .momentaryEmotion, valence: 0.5, labels: [.calm],
        associations: [.family, .work]),
    ]
    typealias State = HKStateOfMind
    let cases: [(NSPredicate, [Int])] = [
      (HKQuery.predicateForStatesOfMind(with: State.Kind.dailyMood), [0]),
      (HKQuery.predicateForStatesOfMind(with: State.Label.calm), [0, 1]),
      (HKQuery.predicateForStatesOfMind(with: State.Label.sad), [0]),
      (HKQuery.predicateForStatesOfMind(with: State.Association.family), [1]),
      (HKQuery.predicateForStatesOfMind(withValence: 0, operatorType: .lessThan), [0]),
      (HKQuery.predicateForStatesOfMind(withValence: 0.5, operatorType: .equalTo), [1]),
    ]
    for (predicate, expected) in cases { #expect(try await places(predicate, among: all) == expected) }
  }

  @available(*, deprecated)
  @Test func `predicates for status, scheduled time and medication of doses`() async throws {
    let concepts = try ["1", "2"].map {
      try HKHealthConceptIdentifier(domain: .medication, underlyingIdentifier: $0)
    }
    func dose(
      _ status: HKMedicationDoseEvent.LogStatus, due: Double?, _ concept: Int
    ) throws -> HKMedicationDoseEvent {
      let dose = MedicationDose(
        scheduleType: .schedule, medicationConceptIdentifier: concepts[concept],
        scheduledDate: due.map(moment), scheduledDoseQuantity: nil, doseQuantity: nil, logStatus: status,
        unit: .count())
      return try .make(uuid: UUID(), dose, start: moment(), end: moment(), device: nil, metadata: nil)
    }
    let all = [
      try dose(.taken, due: 1, 0), try dose(.skipped, due: 2, 1), try dose(.snoozed, due: nil, 0),
    ]
    let cases: [(NSPredicate, [Int])] = [
      (HKQuery.predicateForMedicationDoseEvent(status: .skipped), [1]),
      (HKQuery.predicateForMedicationDoseEvent(statuses: [.taken, .snoozed]), [0, 2]),
      (HKQuery.predicateForMedicationDoseEvent(scheduledDate: moment(2)), [1]),
      (HKQuery.predicateForMedicationDoseEvent(scheduledDates: [moment(1), moment(2), moment(3)]), [0, 1]),
      (HKQuery.predicateForMedicationDoseEvent(scheduledStart: moment(1), end: moment(2)), [0]),
      (HKQuery.predicateForMedicationDoseEvent(scheduledStart: moment(2), end: nil), [1]),
      (HKQuery.predicateForMedicationDoseEvent(scheduledStart: nil, end: moment(2)), [0]),
      (HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifier: concepts[0]), [0, 2]),
      (HKQuery.predicateForMedicationDoseEvent(medicationConceptIdentifiers: Set(concepts)), [0, 1, 2]),
    ]
    for (predicate, expected) in cases { #expect(try await places(predicate, among: all) == expected) }
  }
}
