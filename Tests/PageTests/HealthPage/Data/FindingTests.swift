import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Electrocardiograms and medications, which the page lists if the store has them.
@Suite(.timeLimit(.minutes(30))) struct FindingTests {
  /// The first sample of a type, as the page gets it.
  private func first(_ type: String, _ client: PageClient) async throws -> [String: Any] {
    let samples = try await client.get("/api/samples?type=\(type)").object()["samples"]
    return try #require((samples as? [[String: Any]])?.first)
  }

  @Test func `an electrocardiogram has its findings`() async throws {
    let store = try PageStore()
    let voltages = try (0..<512).map {
      try HKElectrocardiogram.VoltageMeasurement(timeSinceSampleStart: Double($0) / 512, voltages: [:])
    }
    try await store.system.healthStore.acting(as: .watch).save(
      HKElectrocardiogram.make(
        start: moment(), end: moment(1), voltageMeasurements: voltages,
        samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512), classification: .atrialFibrillation,
        averageHeartRate: HKQuantity(unit: HKUnit(from: "count/s"), doubleValue: 1.5), symptomsStatus: .none))
    try await ServedPage.serve(store.page()) { page in
      let sample = try await first("electrocardiogram", try await page.entered())
      let findings = try #require(sample["electrocardiogram"] as? [String: Any])
      #expect(findings["classification"] as? String == "atrialFibrillation")
      #expect(findings["averageHeartRate"] as? Double == 90)
      #expect(findings["symptoms"] as? String == "none" && findings["voltages"] as? Int == 512)
      #expect(findings["samplingFrequency"] as? Double == 512)
    }
  }

  @Test func `medications are listed, and doses have their names`() async throws {
    let store = try PageStore()
    func medication(_ identifier: String, _ name: String, nickname: String?) throws
      -> HKUserAnnotatedMedication
    {
      HKUserAnnotatedMedication(
        nickname: nickname, isArchived: nickname == nil, hasSchedule: nickname != nil,
        medication: try HKMedicationConcept(
          identifier: HKHealthConceptIdentifier(domain: .medication, underlyingIdentifier: identifier),
          displayText: name, generalForm: .tablet, relatedCodings: []))
    }
    let mine = try medication("a", "Aspirin 100 mg", nickname: "The white one")
    try await store.system.keep(mine)
    try await store.system.keep(try medication("b", "Ibuprofen 400 mg", nickname: nil))
    let dose = MedicationDose(
      scheduleType: .schedule, medicationConceptIdentifier: mine.medication.identifier,
      scheduledDate: moment(-60), scheduledDoseQuantity: 1, doseQuantity: 2, logStatus: .taken, unit: .count()
    )
    try await store.system.healthStore.acting(as: .watch).save(
      HKMedicationDoseEvent.make(
        uuid: UUID(), dose, start: moment(), end: moment(), device: nil, metadata: nil))
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let all = try await client.get("/api/medications").decoded(MedicationsResponse.self).medications
      #expect(all.map(\.name) == ["Aspirin 100 mg", "Ibuprofen 400 mg"])
      #expect(all.map(\.nickname) == ["The white one", nil] && all.map(\.form) == ["tablet", "tablet"])
      #expect(all.map(\.isArchived) == [false, true] && all.map(\.hasSchedule) == [true, false])
      let types = try await client.get("/api/types").decoded(TypesResponse.self).types
      let sample = try await first(try #require(types.first).type, client)
      let shown = try #require(sample["dose"] as? [String: Any])
      #expect(shown["name"] as? String == "The white one" && shown["status"] as? String == "taken")
      #expect(shown["quantity"] as? Double == 2 && shown["scheduledQuantity"] as? Double == 1)
      #expect(shown["scheduled"] as? String == time(-60))
    }
  }
}
