import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that queries treat the quantities of a series like separate samples.
@Suite struct SeriesFoldTests {
  private func series(
    _ quantities: [SeriesQuantity], type: String = "t", start: Int64? = nil, uuid: UUID = UUID(),
    from provenance: Provenance = provenance()
  ) -> SampleRecord {
    let start = start ?? quantities[0].start
    let extremes = SeriesExtremes(of: quantities)
    return SampleRecord(
      uuid: uuid, type: type, start: start, end: quantities.reduce(start) { max($0, $1.end) },
      provenance: provenance,
      content: .quantitySeries(
        QuantitySeries(
          unit: "u", value: 0, count: quantities.count, minimum: extremes?.minimum ?? 0,
          maximum: extremes?.maximum ?? 0, latest: extremes?.latest ?? quantities[0],
          quantities: QuantitySeriesCodec.encode(quantities, from: start))))
  }

  private func fold(_ filter: SampleFilter, in database: SampleDatabase) async throws -> [[Int64]] {
    try await database.foldValues(filter, type: "t", prepare: { _ in [[Int64]]() }) {
      $0.append([$1.start, $1.end, Int64($1.value)])
    }
  }

  /// Returns a store with overlapping series of two sources and plain samples, and a store with the same
  /// quantities as separate samples.
  private func stores(_ seed: UInt64) async throws -> (packed: SampleDatabase, plain: SampleDatabase) {
    var generator = SeededGenerator(seed: seed)
    var packed: [SampleRecord] = []
    var plain: [SampleRecord] = []
    var value: Int64 = 0
    for index in 0..<20 {
      let from = provenance(source: index % 3 == 0 ? "a" : "b")
      let type = index % 5 == 4 ? "other" : "t"
      var start = Int64.random(in: 0...300, using: &generator)
      let quantities = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
        start += Int64.random(in: 1...20, using: &generator)
        value += 1
        let lasting = Int64.random(in: 0...15, using: &generator)
        return SeriesQuantity(start: start, end: start + lasting, value: Double(value))
      }
      for quantity in quantities {
        plain.append(
          record(
            quantity.value, at: quantity.start, lasting: quantity.end - quantity.start, type: type, from: from
          ))
      }
      if index % 4 == 3 {
        packed += plain.suffix(quantities.count).map { record in
          var record = record
          record.uuid = UUID()
          return record
        }
      } else {
        packed.append(
          series(quantities, type: type, start: quantities[0].start - (index % 2 == 0 ? 7 : 0), from: from))
      }
    }
    let stores = (packed: try SampleDatabase.inMemory(), plain: try SampleDatabase.inMemory())
    _ = try await stores.packed.save(packed)
    _ = try await stores.plain.save(plain)
    return stores
  }

  private func filter(_ depth: Int, _ generator: inout SeededGenerator) -> SampleFilter {
    let time = Int64.random(in: -20...500, using: &generator)
    switch Int.random(in: 0...(depth > 0 ? 9 : 6), using: &generator) {
    case 0: return .startsBefore(time)
    case 1: return .startsFrom(time)
    case 2: return .endsBefore(time)
    case 3: return .endsFrom(time)
    case 4: return .sources([Bool.random(using: &generator) ? "a" : "b"])
    case 5: return .type("t")
    case 6: return Bool.random(using: &generator) ? .everything : .nothing
    case 7: return .not(filter(depth - 1, &generator))
    case 8: return .any((0..<2).map { _ in filter(depth - 1, &generator) })
    default: return .all((0..<2).map { _ in filter(depth - 1, &generator) })
    }
  }

  @Test func `a fold treats each quantity as a sample, for any filter`() async throws {
    for seed in 0..<12 as Range<UInt64> {
      let stores = try await stores(seed)
      var generator = SeededGenerator(seed: 1000 + seed)
      for _ in 0..<60 {
        let filter = SampleFilter.all([.type("t"), filter(3, &generator)])
        let packed = try await fold(filter, in: stores.packed)
        let plain = try await fold(filter, in: stores.plain)
        #expect(
          packed.sorted { $0.lexicographicallyPrecedes($1) }
            == plain.sorted { $0.lexicographicallyPrecedes($1) }, "\(seed) \(filter)")
        #expect(packed.map { $0[0] } == packed.map { $0[0] }.sorted(), "\(seed) \(filter)")
      }
    }
  }

  @Test func `pages of any size return every quantity of the matching samples once, in order`() async throws {
    let stores = try await stores(99)
    let all = try await fold(.type("t"), in: stores.packed).map { $0[2] }
    for size in [1, 2, 7, 1000] {
      for order in [QuantityOrder.quantity, .sample] {
        var found: [QuantityPage.Quantity] = []
        var end: QuantityPage.Position?
        repeat {
          let page = try await stores.packed.quantities(
            .type("t"), order, after: end, size: size, includingSamples: true)
          for quantity in page.quantities { #expect(page.samples[quantity.sample]?.type == "t") }
          found += page.quantities
          end = page.end
        } while end != nil
        #expect(found.map { Int64($0.value) }.sorted() == all.sorted(), "\(size) \(order)")
        if order == .quantity {
          #expect(found.map(\.start) == found.map(\.start).sorted())
        } else {
          var samples: [Int64] = []
          for quantity in found where samples.last != quantity.sample { samples.append(quantity.sample) }
          #expect(Set(samples).count == samples.count, "a sample comes in pieces")
        }
      }
    }
  }

  @Test func `every quantity of a matching series is in a page`() async throws {
    let database = try SampleDatabase.inMemory()
    let quantities = (0..<5).map { SeriesQuantity(start: $0 * 10, end: $0 * 10, value: Double($0)) }
    _ = try await database.save([series(quantities), record(9, at: 25)])
    let page = try await database.quantities(
      .startsBefore(5), .quantity, after: nil, size: 100, includingSamples: false)
    #expect(page.quantities.map(\.value) == [0, 1, 2, 3, 4])
    #expect(page.samples.isEmpty)
    // A computation of statistics applies the filter to each quantity, and not to the series.
    #expect(try await fold(.startsBefore(5), in: database).map { $0[2] } == [0])
  }

  @Test func `damaged bytes in the store are reported with their series`() async throws {
    let database = try SampleDatabase.inMemory()
    let uuid = UUID()
    var damaged = series([SeriesQuantity(start: 0, end: 0, value: 1)], uuid: uuid)
    damaged.content = .quantitySeries(
      QuantitySeries(
        unit: "u", value: 1, count: 2, minimum: 1, maximum: 1,
        latest: SeriesQuantity(start: 0, end: 0, value: 1),
        quantities: [9, 9]))
    _ = try await database.save([damaged])
    await #expect(throws: StorageError.damagedSeries(uuid)) { try await fold(.type("t"), in: database) }
    for order in [QuantityOrder.quantity, .sample] {
      await #expect(throws: StorageError.damagedSeries(uuid)) {
        try await database.quantities(.type("t"), order, after: nil, size: 1, includingSamples: false)
      }
    }
    // The series itself can still be read, with its value, count, minimum and maximum.
    guard case .quantitySeries(let series)? = try await database.samples(.type("t"), order: []).first?.content
    else {
      Issue.record("no series")
      return
    }
    #expect(series.count == 2 && series.quantities == nil)
  }

  @Test func `a later page does not read series that ended before it`() async throws {
    let database = try SampleDatabase.inMemory()
    func run(_ start: Int64) -> [SeriesQuantity] {
      (0..<4).map { SeriesQuantity(start: start + $0, end: start + $0, value: 1) }
    }
    let first = series(run(0))
    _ = try await database.save([first, series(run(100))])
    func page(after place: QuantityPage.Position?) async throws -> QuantityPage {
      try await database.quantities(.type("t"), .quantity, after: place, size: 5, includingSamples: false)
    }
    let beginning = try await page(after: nil)
    #expect(beginning.quantities.map(\.start) == [0, 1, 2, 3, 100])
    // Damage the encoded quantities, so that the test fails if they are decoded.
    try await database.writer.write {
      try $0.execute(
        sql: """
          UPDATE quantity_series SET quantities = x'FF' WHERE sample = (SELECT min(sample) FROM quantity_series)
          """)
    }
    #expect(try await page(after: beginning.end).quantities.map(\.start) == [101, 102, 103])
  }
}
