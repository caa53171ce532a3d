import GRDB
import PackedSamples

/// The compressed segments of an hour that are not full, grouped by type and provenance. They are read only
/// from an index, because pages of the table may be damaged.
struct SegmentsWithRoom {
  /// The start of the hour, in microseconds since 1970.
  let hour: Int64
  /// The compressed segments of each type and provenance, with their sample counts.
  private var groups: [Group: [(id: Int64, count: Int)]] = [:]

  private struct Group: Hashable {
    let type: Int64
    let provenance: Int64
  }

  private init(hour: Int64) { self.hour = hour }

  /// Calls `body` in chronological order for each hour in which two compressed segments may fit into one,
  /// until it returns `false`.
  /// - Parameter time: Whole hours, in microseconds since 1970.
  static func forEachHour(
    in time: Range<Int64>, _ database: Database, _ body: (SegmentsWithRoom) throws -> Bool
  ) throws {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT start, type, provenance, id, count FROM block INDEXED BY block_start
          WHERE start >= ? AND start < ? AND count < \(SampleBlock.capacity) ORDER BY start
          """), arguments: [time.lowerBound, time.upperBound])
    var current = SegmentsWithRoom(hour: .min)
    while let row = try rows.next() {
      let hour = HourSummary.start(of: try row.decode(atIndex: 0))
      if hour != current.hour {
        if current.mayBeMerged, try !body(current) { return }
        current = SegmentsWithRoom(hour: hour)
      }
      let group = Group(type: try row.decode(atIndex: 1), provenance: try row.decode(atIndex: 2))
      let segment = (id: try row.decode(Int64.self, atIndex: 3), count: try row.decode(Int.self, atIndex: 4))
      current.groups[group, default: []].append(segment)
    }
    if current.mayBeMerged { _ = try body(current) }
  }

  /// Whether two compressed segments fit into one, provided that they have the same unit and metadata.
  private var mayBeMerged: Bool {
    groups.values.contains { PackingLimit.merged($0.map(\.count).sorted()) > 0 }
  }

  /// Returns the kinds of samples for which two compressed segments fit into one. Damaged segments are
  /// skipped.
  func mergeable(in database: Database) throws -> [PackableHour] {
    let kind = try database.cachedStatement(
      sql: "SELECT type, unit, provenance, metadata FROM block WHERE id = ?")
    var counts: [PackableHour: [Int]] = [:]
    for segment in groups.values.joined() {
      do {
        guard let row = try Row.fetchOne(kind, arguments: [segment.id]) else { continue }
        let found = PackableHour(
          type: try row.decode(atIndex: 0), unit: try row.decode(atIndex: 1),
          provenance: try row.decode(atIndex: 2), metadata: try row.decode(atIndex: 3), start: hour)
        counts[found, default: []].append(segment.count)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        continue
      }
    }
    return counts.filter { PackingLimit.merged($0.value.sorted()) > 0 }.map(\.key)
  }

  /// Returns the IDs of the compressed segments that are not full, smallest first. Their unit or metadata may
  /// differ from those of `hour`.
  static func ids(_ hour: PackableHour, in database: Database) throws -> [Int64] {
    try Int64.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT id FROM block INDEXED BY block_start
          WHERE start >= ? AND start < ? AND type = ? AND provenance = ? AND count < \(SampleBlock.capacity)
          ORDER BY count, id
          """),
      arguments: [hour.start, hour.start + HourSummary.length, hour.type, hour.provenance])
  }
}
