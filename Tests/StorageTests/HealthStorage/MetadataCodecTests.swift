import Testing

@testable import HealthStorage
@testable import TestSupport

@Suite struct MetadataCodecTests {
  private static let every: [String: MetadataValue] = [
    "": .string(""), "a": .string("ü\u{0}"), "b": .boolean(true), "c": .boolean(false), "d": .integer(.min),
    "e": .integer(1), "f": .unsigned(.max), "g": .double(1), "h": .double(-0.0), "i": .date(0.1),
    "j": .quantity(value: 36.6, unit: "degC"),
  ]

  @Test func `every kind of value is decoded`() {
    #expect(MetadataCodec.decode(MetadataCodec.encode(Self.every)) == Self.every)
    #expect(MetadataCodec.decode(MetadataCodec.encode([:])) == [:])
  }

  @Test func equalDictionariesHaveEqualBytes() {
    let reversed = Dictionary(uniqueKeysWithValues: Self.every.sorted { $0.key > $1.key })
    #expect(MetadataCodec.encode(reversed) == MetadataCodec.encode(Self.every))
    let numbers: [MetadataValue] = [.boolean(true), .integer(1), .double(1), .date(1), .string("1")]
    #expect(Set(numbers.map { MetadataCodec.encode(["k": $0]) }).count == numbers.count)
  }

  @Test func `malicious bytes never trap`() {
    var generator = SeededGenerator(seed: 4)
    let sound = MetadataCodec.encode(Self.every)
    for _ in 0..<20_000 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      _ = MetadataCodec.decode(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
    }
    #expect(MetadataCodec.decode([]) == nil)
    #expect(MetadataCodec.decode([2]) == nil)
    #expect(MetadataCodec.decode(sound + [0]) == nil)
  }
}
