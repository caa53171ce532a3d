import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

@Suite struct SeriesCodecTests {
  private func quantities(_ values: [Double], each step: Int64 = 1_000_000, lasting: Int64 = 0)
    -> [SeriesQuantity]
  {
    values.enumerated().map { index, value in
      let start = 1_700_000_000_000_000 + Int64(index) * step
      return SeriesQuantity(start: start, end: start + lasting, value: value)
    }
  }

  private static let origin: Int64 = 1_700_000_000_000_000

  @Test func `heart rate at 1 Hz takes two bytes per value`() {
    let steady = quantities((0..<3600).map { 60 + Double($0 * 7 % 31) })
    let bytes = QuantitySeriesCodec.encode(steady, from: Self.origin)
    #expect(bytes.count < 2 * 3600 + 16)
    #expect(QuantitySeriesCodec.decode(bytes, from: Self.origin) == steady)
    // Repeat this with the same times plus a jitter of a few milliseconds.
    var generator = SeededGenerator(seed: 3)
    let jittery = steady.map { quantity in
      let start = quantity.start + Int64.random(in: 0...4, using: &generator) * 1000
      return SeriesQuantity(start: start, end: start, value: quantity.value)
    }
    let more = QuantitySeriesCodec.encode(jittery, from: Self.origin)
    #expect(more.count < 4 * 3600)
    #expect(QuantitySeriesCodec.decode(more, from: Self.origin) == jittery)
  }

  @Test(
    arguments: [
      [0], [-0.0], [1.1, 2.2, 3.3], [0.1 + 0.2], [.pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude],
      [-1e-10, 1e10],
      [0x1p53, -0x1p53, 0x1p53 + 2], [1e22, 123.456], [-0.0, 0],
    ] as [[Double]])
  func `values are decoded bit by bit`(_ values: [Double]) {
    for lasting in [Int64(0), 7] {
      let given = quantities(values, each: 10, lasting: lasting)
      let found = QuantitySeriesCodec.decode(QuantitySeriesCodec.encode(given, from: 3), from: 3)
      #expect(found == given)
      #expect(found?.map(\.value.bitPattern) == values.map(\.bitPattern))
    }
  }

  @Test func `random series are decoded bit by bit`() {
    var generator = SeededGenerator(seed: 1)
    for round in 0..<1000 {
      var start = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator)
      let origin = start
      let given = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
        start += Int64.random(in: 1...(round % 2 == 0 ? 3 : 5_000_000_000), using: &generator)
        return SeriesQuantity(
          start: start, end: start + Int64.random(in: 0...3, using: &generator),
          value: round % 3 == 0
            ? Double(Int.random(in: -1000...1000, using: &generator)) / 10
            : Double.random(in: -1e9...1e9, using: &generator))
      }
      #expect(
        QuantitySeriesCodec.decode(QuantitySeriesCodec.encode(given, from: origin), from: origin) == given)
    }
  }

  private func locations(_ count: Int) -> [LocationRecord] {
    var generator = SeededGenerator(seed: 4)
    return (0..<count).map { index in
      LocationRecord(
        timestamp: 700_000_000 + Double(index), latitude: Double.random(in: 52...53, using: &generator),
        longitude: Double.random(in: 13...14, using: &generator),
        altitude: Double(Int.random(in: 0...900, using: &generator)) / 10, horizontalAccuracy: 5,
        verticalAccuracy: -1, course: -1, courseAccuracy: -1,
        speed: Double.random(in: 0...5, using: &generator), speedAccuracy: 0.25)
    }
  }

  @Test func `routes are decoded bit by bit`() {
    for count in [0, 1, 100] {
      let given = locations(count)
      #expect(LocationCodec.decode(LocationCodec.encode(given)) == given)
    }
    // Each location has three arbitrary doubles, and seven fields with few digits.
    #expect(LocationCodec.encode(locations(1000)).count < 33 * 1000)
  }

  @Test func `voltages are decoded bit by bit, including missing ones`() {
    var voltages: [Double?] = Array(repeating: nil, count: 1000)
    for index in 0..<1000 where index % 10 != 3 { voltages[index] = Double(index * 37 % 999) / 10 }
    let given = VoltageRecord(
      times: (0..<1000).map { Double($0) / 512 },
      leads: [
        LeadRecord(lead: 1, unit: "mcV", voltages: voltages),
        LeadRecord(lead: -2, unit: "", voltages: Array(repeating: nil, count: 1000)),
      ])
    let bytes = VoltageCodec.encode(given)
    #expect(VoltageCodec.decode(bytes) == given)
    // Evenly spaced times take one byte for each location.
    #expect(bytes.count < 4 * 1000)
  }

  @Test func `malicious bytes never trap, and decode to a bounded size`() {
    var generator = SeededGenerator(seed: 2)
    let seeds = [
      QuantitySeriesCodec.encode(quantities([60, 61, 62.5]), from: Self.origin),
      LocationCodec.encode(locations(3)),
      VoltageCodec.encode(
        VoltageRecord(times: [0, 0.5], leads: [LeadRecord(lead: 1, unit: "V", voltages: [1, nil])])),
    ]
    for round in 0..<60_000 {
      var bytes = seeds[round % 3]
      if round % 2 == 0 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      } else {
        bytes =
          [1]
          + (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
      }
      let origin: Int64 = round % 5 == 0 ? .max : Self.origin
      if let found = QuantitySeriesCodec.decode(bytes, from: origin) { #expect(found.count <= bytes.count) }
      if let found = LocationCodec.decode(bytes) { #expect(found.count <= bytes.count) }
      if let found = VoltageCodec.decode(bytes) { #expect(found.times.count <= bytes.count) }
    }
  }

  @Test func `truncated and extended bytes are damaged`() {
    let quantities = QuantitySeriesCodec.encode(quantities([60.5, .pi, 62], lasting: 5), from: Self.origin)
    let locations = LocationCodec.encode(locations(3))
    let voltages = VoltageCodec.encode(
      VoltageRecord(times: [0, 0.1], leads: [LeadRecord(lead: 1, unit: "V", voltages: [1, nil])]))
    for length in 0..<quantities.count {
      #expect(QuantitySeriesCodec.decode(Array(quantities[..<length]), from: Self.origin) == nil)
    }
    for length in 0..<locations.count { #expect(LocationCodec.decode(Array(locations[..<length])) == nil) }
    for length in 0..<voltages.count { #expect(VoltageCodec.decode(Array(voltages[..<length])) == nil) }
    #expect(QuantitySeriesCodec.decode(quantities + [0], from: Self.origin) == nil)
    #expect(LocationCodec.decode(locations + [0]) == nil)
    #expect(VoltageCodec.decode(voltages + [0]) == nil)
  }

  @Test func `starts that do not increase and values that are not finite are damage`() {
    let same = [SeriesQuantity(start: 1, end: 1, value: 1), SeriesQuantity(start: 1, end: 1, value: 2)]
    #expect(QuantitySeriesCodec.decode(QuantitySeriesCodec.encode(same, from: 0), from: 0) == nil)
    let infinite = [SeriesQuantity(start: 1, end: 1, value: .infinity)]
    #expect(QuantitySeriesCodec.decode(QuantitySeriesCodec.encode(infinite, from: 0), from: 0) == nil)
    let backwards = [SeriesQuantity(start: 5, end: 4, value: 1)]
    #expect(QuantitySeriesCodec.decode(QuantitySeriesCodec.encode(backwards, from: 0), from: 0) == nil)
    #expect(QuantitySeriesCodec.decode(QuantitySeriesCodec.encode([], from: 0), from: 0) == nil)
  }
}
