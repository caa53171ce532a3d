import Foundation
import GRDB

/// The order in which quantities are returned.
package enum QuantityOrder: Sendable {
  /// By the start of the quantities, regardless of the sample to which they belong.
  case quantity
  /// By the start of the samples. The quantities of one sample are consecutive.
  case sample
}

/// One page of the quantities that match a query.
package struct QuantityPage: Sendable {
  /// A quantity of a sample.
  package struct Quantity: Sendable {
    package var start: Int64
    package var end: Int64
    package var value: Double
    package var unit: String
    /// The key in `samples` of the sample to which the quantity belongs.
    package var sample: Int64
  }

  /// The position of a page's last quantity.
  package struct Position: Sendable {
    fileprivate var start: Int64
    fileprivate var sample: Int64
  }

  package fileprivate(set) var quantities: [Quantity] = []
  /// The samples to which the quantities belong; empty unless requested.
  package fileprivate(set) var samples: [Int64: SampleRecord] = [:]
  /// The position of this page's last quantity, after which the next page begins; `nil` for the last page.
  package fileprivate(set) var end: Position?
}

extension SampleDatabase {
  /// Returns a page of the quantities of matching samples. A sample that is not a series has one quantity.
  ///
  /// Each page is read from a new snapshot of the database.
  /// - Parameters:
  ///   - position: The `end` of the previous page; `nil` for the first page.
  ///   - size: The number of quantities per page. With ``QuantityOrder/sample``, a page also contains all
  ///     remaining quantities of its last sample.
  package func quantities(
    _ filter: SampleFilter, _ order: QuantityOrder, after position: QuantityPage.Position?, size: Int,
    includingSamples: Bool
  ) async throws -> QuantityPage {
    try await read { database in
      var reader = QuantityPageReader(
        store: self, database: database, filter: filter, visible: try Visibility.of(admission, in: database),
        size: max(size, 1))
      switch order {
      case .quantity: try reader.readByQuantity(after: position)
      case .sample: try reader.readBySample(after: position)
      }
      if includingSamples { try reader.addSamples() }
      return reader.page
    }
  }
}

/// Reads one page. Use it only inside the read access in which it was created.
private struct QuantityPageReader {
  private(set) var page = QuantityPage()
  private let store: SampleDatabase
  private let database: Database
  private let filter: SampleFilter
  private let visible: Visibility?
  private let size: Int
  private var cache: ReadCache

  init(store: SampleDatabase, database: Database, filter: SampleFilter, visible: Visibility?, size: Int) {
    self.store = store
    self.database = database
    self.filter = filter
    self.visible = visible
    self.size = size
    cache = ReadCache(database, parts: nil, marking: nil)
  }

  private struct Sample {
    var position: SeriesMerge.Position
    var uuid: UUID
    var value: SampledValue
  }

  mutating func readBySample(after position: QuantityPage.Position?) throws {
    let rows = try rows(after: position)
    while let row = try rows.next() {
      let sample = try sample(row)
      if try row.decode(atIndex: 7) {
        let series = try SeriesMerge.quantities(
          of: sample.position.sample, sample.uuid, from: sample.position.start, in: database)
        for quantity in series {
          try add(quantity.start, quantity.end, quantity.value, sample.value.unit, sample.position.sample)
        }
      } else {
        try add(sample.value, sample.position.sample)
      }
      guard page.quantities.count < size else {
        page.end = QuantityPage.Position(start: sample.position.start, sample: sample.position.sample)
        return
      }
    }
  }

  mutating func readByQuantity(after position: QuantityPage.Position?) throws {
    // A series whose sample matches contributes all its quantities. Series that end before this page begins
    // were on earlier pages.
    let ahead = position.map { SampleFilter.all([filter, .endsFrom($0.start)]) } ?? filter
    var series = try SeriesMerge(QuantityFilter(rows: ahead), among: visible, in: database)
    let first = position.map { SeriesMerge.Position(start: $0.start, sample: $0.sample) }
    let rows = try rows(after: position)
    while let row = try rows.next() {
      let sample = try sample(row)
      guard try addSeries(&series, before: sample.position, after: first) else { return }
      if series.samples.contains(sample.position.sample) { continue }
      try add(sample.value, sample.position.sample)
      guard !isFull(sample.position) else { return }
    }
    _ = try addSeries(&series, before: nil, after: first)
  }

  /// Adds the quantities of series that come before a row of `sample`.
  /// - Returns: `false` if the page is full.
  private mutating func addSeries(
    _ series: inout SeriesMerge, before position: SeriesMerge.Position?, after first: SeriesMerge.Position?
  ) throws -> Bool {
    while let quantity = try series.next(before: position) {
      if let first, quantity.position <= first { continue }
      try add(quantity.value, quantity.sample)
      guard !isFull(quantity.position) else { return false }
    }
    return true
  }

  private mutating func isFull(_ position: SeriesMerge.Position) -> Bool {
    guard page.quantities.count >= size else { return false }
    page.end = QuantityPage.Position(start: position.start, sample: position.sample)
    return true
  }

  mutating func addSamples() throws {
    let ids = Set(page.quantities.map(\.sample)).sorted()
    try store.forEach(ids, among: visible, in: database) { page.samples[$0] = $1 }
  }

  private func rows(after position: QuantityPage.Position?) throws -> RowCursor {
    let condition = filter.condition(among: visible)
    let (start, sample) = (position?.start ?? .min, position?.sample ?? .min)
    let found = try SampleTables(in: database).union(condition.arguments + [start, start, sample]) {
      """
      SELECT id, uuid, start, ifnull(end, start), value, unit, provenance,
        EXISTS (SELECT 1 FROM quantity_series WHERE sample = sample.id)
      FROM \($0.sql) WHERE \(condition.sql) AND unit IS NOT NULL
        AND start >= ? AND (start > ? OR id > ?)
      """
    }
    return try Row.fetchCursor(
      database, sql: "\(found.sql) ORDER BY start, id", arguments: found.arguments)
  }

  private func sample(_ row: Row) throws -> Sample {
    try Sample(
      position: SeriesMerge.Position(start: row.decode(atIndex: 2), sample: row.decode(atIndex: 0)),
      uuid: row.decode(atIndex: 1),
      value: SampledValue(
        start: row.decode(atIndex: 2), end: row.decode(atIndex: 3), value: row.decode(atIndex: 4),
        unit: row.decode(atIndex: 5),
        provenance: row.decode(atIndex: 6)))
  }

  private mutating func add(_ value: SampledValue, _ sample: Int64) throws {
    try add(value.start, value.end, value.value, value.unit, sample)
  }

  private mutating func add(_ start: Int64, _ end: Int64, _ value: Double, _ unit: Int64, _ sample: Int64)
    throws
  {
    page.quantities.append(
      QuantityPage.Quantity(start: start, end: end, value: value, unit: try cache.unit(unit), sample: sample))
  }
}
