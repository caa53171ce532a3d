import HealthStorage
import Testing

@Suite struct SourceOrderTests {
  @Test func `the sources are those of the type in row order, with the chosen order`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save([
      record(1, at: 0, from: provenance(source: "z")), record(1, at: 0, from: provenance(source: "a")),
      record(1, at: 0, type: "other", from: provenance(source: "b")),
    ])
    var order = try await database.sourceOrder(ofType: "t")
    #expect(order.sources.map(\.bundleIdentifier) == ["z", "a"])
    #expect(order.chosen.isEmpty)
    #expect(try await database.setSourceOrder(["b", "z", "b"], ofType: "t") == [])
    order = try await database.sourceOrder(ofType: "t")
    #expect(order.sources.map(\.bundleIdentifier) == ["z", "a", "b"])
    #expect(order.chosen == [2, 0])
    #expect(try await database.sourceOrder(ofType: "other").chosen.isEmpty)
  }

  @Test func `an unknown source leaves the order unchanged`() async throws {
    let database = try SampleDatabase.inMemory()
    try await database.save([record(1, at: 0, from: provenance(source: "a"))])
    _ = try await database.setSourceOrder(["a"], ofType: "t")
    #expect(try await database.setSourceOrder(["x", "a", "y"], ofType: "t") == ["x", "y"])
    #expect(try await database.sourceOrder(ofType: "t").chosen == [0])
    #expect(try await database.setSourceOrder([], ofType: "t") == [])
    #expect(try await database.sourceOrder(ofType: "t").chosen.isEmpty)
  }

  @Test func `values are marked by their metadata and have the keys of their sources`() async throws {
    let database = try SampleDatabase.inMemory()
    let marks: [MetadataValue?] = [nil, .boolean(true), .boolean(false), .integer(1), .string("true")]
    try await database.save(
      marks.enumerated().map { place, mark in
        record(
          Double(place), at: Int64(place), lasting: Int64(place), from: provenance(source: "s\(place % 2)"),
          metadata: mark.map { EncodedMetadata(["k": $0]) })
      })
    _ = try await database.setSourceOrder(["s1"], ofType: "t")
    func fold(_ marking: String?) async throws -> [String] {
      try await database.foldValues(.type("t"), type: "t", marking: marking) { keys in
        Found(keys: keys)
      } _: { found, value in
        let source = found.keys.provenances[value.provenance].map { found.keys.sources[$0].bundleIdentifier }
        found.lines.append("\(value.value) \(value.start)-\(value.end) \(source ?? "?") \(value.isMarked)")
        #expect(found.keys.chosen == [1])
        #expect(found.keys.units[value.unit] == "u")
      }.lines
    }
    #expect(
      try await fold("k") == [
        "0.0 0-0 s0 false", "1.0 1-2 s1 true", "2.0 2-4 s0 false", "3.0 3-6 s1 true", "4.0 4-8 s0 false",
      ])
    #expect(try await fold(nil).allSatisfy { $0.hasSuffix("false") })
  }

  private struct Found: Sendable {
    var keys: SampledValueKeys
    var lines: [String] = []
  }
}
