import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests adding samples on the page, and deleting single samples.
@Suite(.timeLimit(.minutes(30))) struct EntryTests {
  private static let mass =
    #"{"type":"bodyMass","value":"73.2","unit":"kg","start":"2023-11-14T22:13:20Z","end":"2023-11-14T22:13:20Z"}"#

  @Test func `every offered type can be added with the offered values, and is then listed`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      let types = try await client.get("/api/entry").decoded(EntryResponse.self).types
      #expect(types.count > 150)
      for type in types {
        var body: [String: Any] = [
          "type": type.type, "start": time(0), "end": time(60), "confirmed": true,
        ]
        if let unit = type.units?.first { body["unit"] = unit }
        let amounts = ["height": "1.7", "bodyTemperature": "37", "basalBodyTemperature": "37"]
        if type.type == "height" { body["unit"] = "m" }
        switch type.kind {
        case "quantity": body["value"] = amounts[type.type] ?? "5"
        case "pressure": (body["value"], body["unit"]) = ("121/79", "mmHg")
        default: body["value"] = type.choices?.last
        }
        if type.needs == "reason" { body["reason"] = "bolus" }
        if type.needs == "cycleStart" { body["cycleStart"] = true }
        let json = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let answer = try await client.post("/api/samples", json)
        #expect(answer.status == 200, "\(json) \(answer.text)")
        let uuid = try #require(UUID(uuidString: try answer.decoded(Added.self).uuid))
        let stored = try #require(try await system.sample(uuid))
        #expect(TypeName.short(stored.sampleType) == type.type)
        #expect(stored.sourceRevision.source.bundleIdentifier == "org.hrgate.health")
        #expect(stored.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
      }
      let listed = try await client.get("/api/samples?type=bloodPressure").object()
      #expect((listed["samples"] as? [[String: Any]])?.count == 1)
    }
  }

  @Test func `the form and hrgate add use the chosen unit, and without a choice not the country's unit`()
    async throws
  {
    let store = try PageStore()
    let (mass, height) = (HKQuantityType(.bodyMass), HKQuantityType(.height))
    try await store.system.setPreferredUnit(.stone(), for: mass)
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let types = try await page.entered().get("/api/entry").decoded(EntryResponse.self).types
      func unit(_ type: String) -> String? { types.first { $0.type == type }?.unit }
      let (shown, unshown) = (
        try await system.entryUnits(isShown: true), try await system.entryUnits(isShown: false)
      )
      #expect(unit("bodyMass") == "st" && shown(mass) == .stone() && unshown(mass) == .stone())
      #expect(unit("height") == shown(height).unitString && unshown(height) == .meter())
      #expect(unit("bloodPressure") == "mmHg")
      // The unit for a new value is the one in which the page shows stored values.
      #expect(try await shown(height) == system.healthStore.preferredUnits(for: [height])[height])
      var entry = ManualEntry(type: mass, start: .now - 60, end: .now - 60)
      entry.value = "11.5"
      let added = try #require(try await system.add(entry) as? HKQuantitySample)
      #expect(added.quantity.doubleValue(for: .stone()) == 11.5)
    }
  }

  @Test func `a change needs key, origin and JSON, and an invalid one gets a sentence`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      var stranger = client
      stranger.changeKey = "wrong"
      #expect(try await stranger.post("/api/samples", Self.mass).status == 403)
      #expect(try await page.client.post("/api/samples", Self.mass).status == 401)
      for (wrong, text) in [
        (Self.mass.replacing("73.2", with: "7320"), "from 0.1 to 1000 kg"),
        (Self.mass.replacing("\"kg\"", with: "\"count/min\""), "cannot be expressed"),
        (Self.mass.replacing("bodyMass", with: "heartbeatSeries"), "only a device"),
        (Self.mass.replacing("2023-11-14T22:13:20Z\",", with: "2096-11-14T22:13:20Z\","), "future"),
        (Self.mass.replacing("\"2023-11-14T22:13:20Z\",", with: "1e300,"), "2026-11-21T06:09:00.123456Z"),
        (Self.mass.replacing(#""value":"73.2","#, with: ""), "needs a value"),
      ] {
        let refused = try await client.post("/api/samples", wrong)
        #expect(refused.status == 400 && refused.text.contains(text), "\(wrong): \(refused.text)")
      }
      #expect(try await client.post("/api/samples", Self.mass.replacing("bodyMass", with: "x")).status == 404)
      #expect(try await system.isEmpty())
      #expect(try await client.post("/api/samples", Self.mass).status == 200)
    }
  }

  @Test func `an error names its field, and an unusual value is stored when it is confirmed`() async throws {
    struct MeasureError: Decodable {
      var error: String
      var field: String?
      var message: String
    }
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      func refusal(_ body: String, _ status: Int) async throws -> MeasureError {
        let answer = try await client.post("/api/samples", body)
        #expect(answer.status == status, "\(body): \(answer.text)")
        return try answer.decoded(MeasureError.self)
      }
      for (wrong, field) in [
        (Self.mass.replacing("73.2", with: "7320"), "value"),
        (Self.mass.replacing("\"kg\"", with: "\"x\""), "unit"),
        (Self.mass.replacing("2023-11-14T22:13:20Z\",", with: "2096-11-14T22:13:20Z\","), "start"),
      ] {
        #expect(try await refusal(wrong, 400).field == field, "\(wrong)")
      }
      let unusual = Self.mass.replacing("73.2", with: "732")
      let asked = try await refusal(unusual, 409)
      #expect(asked.error == "implausible" && asked.message == "Usual values are from 2 to 300 kg.")
      #expect(try await system.isEmpty())
      #expect(try await client.post("/api/samples", Self.mass).status == 200)
      // The value is usual, but it differs too much from the previous value.
      let jump = Self.mass.replacing("73.2", with: "100").replacing("22:13:20Z", with: "22:14:20Z")
      let change = try await refusal(jump, 409)
      #expect(change.message == "The value before, of 2023-11-14, is 73.2 kg.")
      let small = jump.replacing("100", with: "74.9")
      #expect(try await client.post("/api/samples", small).status == 200)
      let confirmed = #"{"confirmed":true,"# + unusual.dropFirst()
      #expect(try await client.post("/api/samples", confirmed).status == 200)
    }
  }

  @Test func `only the types of named samples are searched for a deletion`() async throws {
    let store = try PageStore()
    let rates = [heartRate(60, at: 0), heartRate(61, at: 0)]
    try await store.system.healthStore.acting(as: .watch).save(rates)
    func searched(_ uuids: [UUID]) async throws -> [String] {
      let body = try JSONEncoder().encode(["uuids": uuids])
      let deletion = try JSONDecoder().decode(Deletion.self, from: body)
      return try await deletion.whole(in: store.system).predicates().map { $0.sampleType.identifier }
    }
    #expect(try await searched(rates.map(\.uuid)) == [HKQuantityTypeIdentifier.heartRate.rawValue])
    // The sample was deleted in the meantime, so there is no type to search.
    #expect(try await searched([UUID()]) == [])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let selection = #""uuids":["\#(UUID().uuidString)"]"#
      let count = try await client.post("/api/delete/count", "{\(selection)}").decoded(DeletionCount.self)
      #expect(count.total == 0 && count.to == nil)
      #expect(try await client.post("/api/delete", #"{\#(selection),"total":1}"#).status == 409)
    }
  }

  @Test func `one sample of any source is deleted, a blood pressure with its values`() async throws {
    let store = try PageStore()
    let rates = [heartRate(60, at: 0), heartRate(61, at: 0)]
    try await store.system.healthStore.acting(as: .watch).save(rates)
    let uuids = rates.map(\.uuid)
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      let pressure = Self.mass.replacing("bodyMass", with: "bloodPressure").replacing("73.2", with: "121/79")
        .replacing("\"kg\"", with: "\"mmHg\"")
      let added = try await client.post("/api/samples", pressure).decoded(Added.self).uuid
      for (uuid, total) in [(uuids[0].uuidString, 1), (added, 3)] {
        let selection = #""uuids":["\#(uuid)"]"#
        let count = try await client.post("/api/delete/count", "{\(selection)}").decoded(DeletionCount.self)
        #expect(count.total == total)
        let answer = try await client.post("/api/delete", #"{\#(selection),"total":\#(total)}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.decoded(Deleted.self).deleted == total)
      }
      #expect(try await system.sample(uuids[1]) != nil)
      #expect(try await client.post("/api/delete/count", #"{"uuids":["x"]}"#).status == 400)
    }
  }
}
