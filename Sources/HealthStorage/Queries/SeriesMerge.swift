import Foundation
import GRDB

/// Merges the quantities of several series by start, then by sample.
///
/// A series is decoded when its start is reached and released after its last quantity, so only series that
/// overlap in time are in memory together.
struct SeriesMerge {
  /// The position of a quantity in the merged order: its start, then its sample.
  struct Position: Comparable {
    var start: Int64
    var sample: Int64

    static func < (left: Position, right: Position) -> Bool {
      (left.start, left.sample) < (right.start, right.sample)
    }
  }

  struct Quantity {
    var sample: Int64
    var value: SampledValue

    var position: Position { Position(start: value.start, sample: sample) }
  }

  private struct Candidate {
    var position: Position
    var uuid: UUID
    var unit: Int64
    var provenance: Int64
    var isMarked: Bool
    var results: [Bool]
  }

  private struct Unpacked: Comparable {
    let series: Candidate
    let quantities: [SeriesQuantity]
    var next = 0

    var position: Position { Position(start: quantities[next].start, sample: series.position.sample) }

    static func == (left: Unpacked, right: Unpacked) -> Bool { left.position == right.position }
    static func < (left: Unpacked, right: Unpacked) -> Bool { left.position < right.position }
  }

  /// The row IDs of all series that may have matching quantities. Code that reads rows of `sample` must skip
  /// these.
  let samples: Set<Int64>
  private let filter: QuantityFilter
  private let database: Database
  /// The series that are not decoded yet, in reverse order: the last one is next.
  private var waiting: [Candidate] = []
  private var unpacked = BinaryHeap<Unpacked>()

  /// - Parameters:
  ///   - visible: What the application may see; `nil` for hrgate itself.
  ///   - isMarked: Returns whether samples are marked (`Interpretation.markingKey`), given the row ID of
  ///     their metadata (0 without metadata).
  init(
    _ filter: QuantityFilter, among visible: Visibility?, in database: Database,
    isMarked: (Int64) throws -> Bool = { _ in false }
  ) throws {
    self.filter = filter
    self.database = database
    let condition = filter.row.condition(among: visible)
    let columns = filter.columns.map(\.conditionRegardlessOfPermission)
    let places = filter.positionsOfSeries
    // NOT INDEXED makes SQLite look up the few series by ID. With the index by type, it would read every
    // sample of the type.
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, uuid, start, unit, provenance, ifnull(metadata, 0)\(columns.map { ", ifnull(\($0.sql), 0)" }.joined())
        FROM sample NOT INDEXED
        WHERE id IN (SELECT sample FROM series_place WHERE \(places.sql)) AND (\(condition.sql))
        ORDER BY start DESC, id DESC
        """,
      arguments: columns.reduce(into: StatementArguments()) { $0 += $1.arguments } + places.arguments
        + condition.arguments)
    while let row = try rows.next() {
      waiting.append(
        try Candidate(
          position: Position(start: row.decode(atIndex: 2), sample: row.decode(atIndex: 0)),
          uuid: row.decode(atIndex: 1),
          unit: row.decode(atIndex: 3), provenance: row.decode(atIndex: 4),
          isMarked: isMarked(row.decode(atIndex: 5)),
          results: columns.indices.map { try row.decode(atIndex: 6 + $0) }))
    }
    samples = Set(waiting.map(\.position.sample))
  }

  /// Returns the next quantity before a position; `nil` if no quantity is left.
  mutating func next(before position: Position? = nil) throws -> Quantity? {
    while let candidate = waiting.last, position.map({ candidate.position < $0 }) ?? true,
      unpacked.least.map({ candidate.position < $0.position }) ?? true
    {
      waiting.removeLast()
      try unpack(candidate)
    }
    guard let least = unpacked.least, position.map({ least.position < $0 }) ?? true else { return nil }
    let quantity = least.quantities[least.next]
    unpacked.updateLeast {
      $0.next += 1
      return $0.next < $0.quantities.count
    }
    return Quantity(
      sample: least.series.position.sample,
      value: SampledValue(
        start: quantity.start, end: quantity.end, value: quantity.value, unit: least.series.unit,
        provenance: least.series.provenance, isMarked: least.series.isMarked))
  }

  private mutating func unpack(_ series: Candidate) throws {
    let all = try Self.quantities(
      of: series.position.sample, series.uuid, from: series.position.start, in: database)
    let admitted = all.filter { filter.admits(start: $0.start, end: $0.end, series.results) }
    guard !admitted.isEmpty else { return }
    unpacked.insert(Unpacked(series: series, quantities: admitted))
  }

  /// Reads and decodes the quantities of a series.
  /// - Throws: `StorageError.damagedSeries`.
  static func quantities(
    of sample: Int64, _ uuid: UUID, from origin: Int64, in database: Database
  ) throws -> [SeriesQuantity] {
    let statement = try database.cachedStatement(
      sql: "SELECT quantities FROM quantity_series WHERE sample = ?")
    let bytes = try Data.fetchOne(statement, arguments: [sample]) ?? Data()
    guard let quantities = QuantitySeriesCodec.decode(Array(bytes), from: origin) else {
      throw StorageError.damagedSeries(uuid)
    }
    return quantities
  }
}
