import Foundation
import HealthKit
import Testing

@testable import TestSupport

@Suite struct SourceOrderTests {
  /// A store in which three sources saved steps of the same hour: 1, 2 and 4.
  private func store(in folder: TemporaryFolder) async throws -> String {
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    for (name, count) in [("a", 1.0), ("b", 2), ("c", 4)] {
      try await store.acting(as: HKSource(name: "Source \(name)", bundleIdentifier: "com.example.\(name)"))
        .save(
          HKQuantitySample(
            type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: count),
            start: start, end: start.addingTimeInterval(3600)))
    }
    return path
  }

  private func order(_ store: String, _ arguments: String...) throws -> [String] {
    let result = try Command.hrgate(
      ["sources", "order", "--type", "stepCount", "--store", store, "--json"] + arguments)
    let objects = try result.objects()
    #expect(objects.map { $0["place"] as? Int } == Array(1...3))
    return objects.map {
      "\($0["bundleIdentifier"] ?? "")\($0["chosen"] as? Bool == true ? " chosen" : "")"
    }
  }

  private func sum(_ store: String) throws -> Double? {
    try Command.hrgate("stats", "--type", "stepCount", "--store", store, "--json").objects().first?["sum"]
      as? Double
  }

  @Test func `the order is shown, set and forgotten, and decides the sum`() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    #expect(try order(store) == ["com.example.c", "com.example.b", "com.example.a"])
    #expect(try sum(store) == 4)
    let chosen = ["com.example.a chosen", "com.example.c", "com.example.b"]
    #expect(try order(store, "com.example.a") == chosen)
    #expect(try order(store) == chosen)
    #expect(try sum(store) == 1)
    #expect(try order(store, "--default").first == "com.example.c")
    #expect(try sum(store) == 4)
  }

  @Test func `for a person a line has the place, the name and the identifier`() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    let result = try Command.hrgate(
      "sources", "order", "--type", "stepCount", "--store", store, "com.example.b", "com.example.a")
    #expect(
      result.lines == [
        "1  Source b  com.example.b", "2  Source a  com.example.a",
        "3  Source c  com.example.c  (by default)",
      ])
  }

  @Test func `a source that is not known is named, and nothing changes`() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    _ = try order(store, "com.example.a")
    let result = try Command.hrgate(
      "sources", "order", "--type", "stepCount", "--store", store, "com.example.b", "com.example.x")
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("com.example.x"))
    #expect(try order(store).first == "com.example.a chosen")
  }

  @Test func `sources without a word lists them`() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(in: folder)
    #expect(try Command.hrgate("sources", "--store", store, "--json").objects().count == 3)
    #expect(try Command.hrgate("sources", "list", "--store", store).lines.count == 3)
  }
}
