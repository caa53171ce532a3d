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

  @Test func `an electrocardiogram has its curve in millivolts, with limited points`() async throws {
    let store = try PageStore()
    func recording(_ seconds: Int) throws -> HKElectrocardiogram {
      let voltages = try (0..<512 * seconds).map { place in
        // One high peak, which must not be lost.
        let microvolts = place == 700 ? 1200.0 : Double(place % 100)
        return try HKElectrocardiogram.VoltageMeasurement(
          timeSinceSampleStart: Double(place) / 512,
          voltages: [
            .appleWatchSimilarToLeadI: HKQuantity(unit: HKUnit(from: "mcV"), doubleValue: microvolts)
          ])
      }
      return try HKElectrocardiogram.make(
        start: moment(), end: moment(Double(seconds)), voltageMeasurements: voltages,
        samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512), classification: .sinusRhythm,
        averageHeartRate: nil, symptomsStatus: .none)
    }
    let (short, long) = (try recording(2), try recording(60))
    try await store.system.healthStore.acting(as: .watch).save([short, long])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func curve(_ uuid: String) async throws -> ElectrocardiogramResponse {
        try await client.get("/api/electrocardiogram?uuid=\(uuid)").decoded(ElectrocardiogramResponse.self)
      }
      let whole = try await curve(short.uuid.uuidString)
      #expect(whole.time.count == 1024 && whole.millivolts.count == 1024 && !whole.isReduced)
      #expect(whole.millivolts[700] == 1.2 && whole.millivolts[150] == 0.05 && whole.time[512] == 1)
      let reduced = try await curve(long.uuid.uuidString)
      #expect(reduced.isReduced && reduced.time.count <= ElectrocardiogramResponse.most)
      #expect(reduced.time.count > ElectrocardiogramResponse.most / 3)
      #expect(reduced.millivolts.max() == 1.2 && reduced.millivolts.min() == 0)
      #expect(zip(reduced.time, reduced.time.dropFirst()).allSatisfy(<))
      let path = "/api/electrocardiogram"
      #expect(try await client.get("\(path)?uuid=\(UUID().uuidString)").status == 404)
      #expect(try await client.get("\(path)?uuid=1").status == 400)
      #expect(try await client.get(path).status == 400)
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
