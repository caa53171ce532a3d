import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests responses for a store that is locked or damaged.
@Suite struct StoreFaultTests {
  @Test func `while another program locks the store, it can be read, and a change fails with the reason`()
    async throws
  {
    let store = try PageStore()
    try await store.save([61, 62])
    let order = #"{"type":"heartRate","sources":["\#(HKSource.strap.bundleIdentifier)"]}"#
    try await ServedPage.serve(store.page()) { [file = store.file] page in
      let client = try await page.entered()
      let lock = try StoreLock(file)
      let figures = try await client.get("/api/statistics?type=heartRate").object()
      #expect(figures["count"] as? Int == 2)
      let refused = try await client.post("/api/order", order)
      #expect(refused.status == 503, "\(refused.text)")
      #expect(refused.text.contains("Another program is writing") && !refused.text.contains("SQLITE"))
      try lock.release()
      #expect(try await client.post("/api/order", order).status == 200)
    }
  }

  @Test func `a store that becomes damaged is reported with what to do, and the page continues`()
    async throws
  {
    let store = try PageStore()
    let file = store.file
    try await store.save((0..<5000).map { 60 + Double($0 % 40) })
    try StoreLock.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: file)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let handle = try FileHandle(forUpdating: URL(filePath: file))
      let size = try handle.seekToEnd()
      try handle.seek(toOffset: 4096 * 24)
      try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096 * 24))
      try handle.close()
      let refused = try await client.get("/api/statistics?type=heartRate")
      #expect(refused.status == 503, "\(refused.status)")
      #expect(refused.text.contains("hrgate store check"), "\(refused.text)")
      #expect(try await client.get("/").status == 200)
    }
  }

  @Test func `a damaged block hides only its hour, and the page names it`() async throws {
    let store = try PageStore()
    let file = store.file
    // 1,000 samples from 22:13:20 to 22:30 UTC, and 1,000 samples an hour later.
    for hour in [0.0, 3600] {
      try await store.save(asGateway: (0..<1000).map { 60 + Double($0 % 40) }, from: hour)
    }
    let report = try await StoreCompaction(store.system).run(at: Date()) { _ in true }
    #expect(report.packed == 2000 && report.hours == 2)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let first = "&from=\(time(0))&to=\(time(3000))"
      let second = "&from=\(time(3600))&to=\(time(6600))"
      let figures = try await client.get("/api/statistics?type=heartRate\(first)").object()
      #expect(figures["count"] as? Int == 1000)
      let copy = "ATTACH '\(file).copy' AS copy"
      try StoreLock.execute(
        "\(copy); CREATE TABLE copy.block AS SELECT id, samples FROM main.block", in: file)
      try StoreLock.execute(
        "UPDATE block SET samples = x'01' WHERE id = (SELECT min(id) FROM block)", in: file)
      #expect(try await client.get("/api/damage").decoded(DamageResponse.self).blocks.isEmpty)
      let both = "&from=\(time(0))&to=\(time(6600))"
      for what in ["statistics", "series", "samples"] {
        for span in [first, second, both] {
          let shown = try await client.get("/api/\(what)?type=heartRate&pixels=100\(span)")
          #expect(shown.status == 200, "\(what) \(shown.status) \(shown.text)")
          // A page that is open learns from this header field that there is damage.
          #expect(shown.fields["x-hrgate-damaged-blocks"] == "1")
        }
      }
      let rest = try await client.get("/api/statistics?type=heartRate\(both)").object()
      #expect(rest["count"] as? Int == 1000)
      for route in [
        "types", "sources", "summary", "worn?from=\(time(0))&to=\(time(6600))", "zones?maximum=190\(both)",
        "beats?pixels=50\(both)", "variability?window=5m\(both)", "order?type=heartRate", "permissions",
      ] {
        let answer = try await client.get("/api/\(route)")
        #expect(answer.status == 200, "\(route): \(answer.text)")
      }
      let types = try await client.get("/api/types").decoded(TypesResponse.self).types
      #expect(types.first?.first == moment(3600) && types.first?.last == moment(4599))
      // An export without the damaged hour would look complete, so the export fails.
      let csv = try? await client.get("/api/export.csv?type=heartRate")
      #expect((csv?.status ?? 500) >= 500, "\(csv?.text ?? "")")
      let blocks = try await client.get("/api/damage").decoded(DamageResponse.self).blocks
      #expect(blocks.count == 1)
      #expect(blocks.first?.contains("HeartRate of 2023-11-14T22:00:00Z") == true, "\(blocks)")
      #expect(blocks.first?.contains("hrgate store check") == true)
      // After a repair, the block is no longer listed as damaged, and its samples are shown.
      try StoreLock.execute(
        "\(copy); UPDATE main.block SET samples = (SELECT samples FROM copy.block AS c WHERE c.id = block.id)",
        in: file)
      let repaired = try await client.get("/api/damage")
      #expect(try repaired.decoded(DamageResponse.self).blocks.isEmpty)
      #expect(repaired.fields["x-hrgate-damaged-blocks"] == "0")
      let whole = try await client.get("/api/statistics?type=heartRate\(both)").object()
      #expect(whole["count"] as? Int == 2000)
      // A damaged block that was deleted is no longer listed either.
      try StoreLock.execute(
        "UPDATE block SET samples = x'01' WHERE id = (SELECT min(id) FROM block)", in: file)
      _ = try await client.get("/api/samples?type=heartRate\(first)")
      #expect(try await client.get("/api/damage").decoded(DamageResponse.self).blocks == blocks)
      try StoreLock.execute("DELETE FROM block WHERE id = (SELECT min(id) FROM block)", in: file)
      #expect(try await client.get("/api/damage").decoded(DamageResponse.self).blocks.isEmpty)
    }
  }

  @Test(arguments: [("HeartRate", "count/min"), ("OxygenSaturation", "%"), ("StepCount", "count")])
  func `if the newest hour is damaged, earlier and later samples are shown`(name: String, unit: String)
    async throws
  {
    let store = try PageStore()
    let type = HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifier\(name)")
    let short = TypeName.short(ofIdentifier: type.rawValue)
    for hour in [0.0, 3600] {
      try await store.system.save(
        asGateway: (0..<1000).map { unit == "%" ? 0.9 : 60 + Double($0 % 40) }, from: hour, of: type, unit)
    }
    let report = try await StoreCompaction(store.system).run(at: Date()) { _ in true }
    #expect(report.packed == 2000 && report.hours == 2)
    try StoreLock.execute(
      "UPDATE block SET samples = x'01' WHERE id = (SELECT id FROM block ORDER BY start DESC LIMIT 1)",
      in: store.file)
    let both = "&from=\(time(0))&to=\(time(6600))"
    let system = try store.system.skippingDamagedBlocks()
    try await ServedPage.serve(store.page()) { [writer = store.system] page in
      let client = try await page.entered()
      for route in [
        "session", "statistics?type=\(short)\(both)", "series?type=\(short)&pixels=100\(both)",
        "samples?type=\(short)\(both)", "types", "sources", "summary",
      ] {
        let answer = try await client.get("/api/\(route)")
        #expect(answer.status == 200, "\(route): \(answer.text)")
      }
      let figures = try await client.get("/api/statistics?type=\(short)\(both)").object()
      #expect(figures["count"] as? Int == 1000, "\(figures)")
      let types = try await client.get("/api/types").decoded(TypesResponse.self).types
      #expect(types.first?.last == moment(999), "\(types)")
      let blocks = try await client.get("/api/damage").decoded(DamageResponse.self).blocks
      #expect(blocks.count == 1 && blocks.first?.contains("\(name) of 2023-11-14T23:00:00Z") == true)
      // The part Now has no value of the last hour.
      #expect(try await LatestValues.of(system, now: moment(4700)).values.isEmpty)
      // Later measurements are shown again.
      try await writer.save(asGateway: [unit == "%" ? 0.95 : 77], from: 6000, of: type, unit)
      let later = try await client.get("/api/types").decoded(TypesResponse.self).types
      #expect(later.first?.last == moment(6000), "\(later)")
      let values = try await LatestValues.of(system, now: moment(6010)).values
      #expect(values.map(\.value) == (name == "HeartRate" ? [77] : []), "\(values)")
    }
  }

  @Test func `damage of the hour before now is found by the events that Now follows`() async throws {
    let store = try PageStore()
    try await store.save(asGateway: (0..<1000).map { 60 + Double($0 % 40) })
    _ = try await StoreCompaction(store.system).run(at: Date()) { _ in true }
    try StoreLock.execute("UPDATE block SET samples = x'01'", in: store.file)
    let system = try store.system.skippingDamagedBlocks()
    #expect(try await LatestValues.of(system, now: moment(1100)).values.isEmpty)
    #expect(system.skippedBlocks.count == 1)
  }
}
