import GRDB

/// Reads the rows of a damaged table in the order of their IDs. After an unreadable page, it searches for the
/// next readable ID.
struct TableReader {
  private let table: String
  private let columns: String
  private let hasRowID: Bool
  private let database: Database

  init(table: String, columns: String, hasRowID: Bool, _ database: Database) {
    self.table = table.quotedDatabaseIdentifier
    self.columns = columns
    self.hasRowID = hasRowID
    self.database = database
  }

  /// - Parameter unreadable: Called for each range of unreadable rows, with its first ID and the next
  ///   readable ID, which is `nil` if no later row can be read. Not called for a table without row IDs.
  /// - Returns: Whether the whole table could be read.
  func forEach(
    _ body: ([DatabaseValue]) -> Void, unreadable: (_ first: Int64, _ next: Int64?) -> Void = { _, _ in }
  ) -> Bool {
    guard hasRowID else { return forEachInBothDirections(body) }
    var next = Int64.min
    var isWhole = true
    while true {
      switch run(from: next, body) {
      case .end: return isWhole
      case .damage(let place):
        isWhole = false
        let readable = readable(after: place)
        unreadable(place, readable)
        guard let readable else { return false }
        next = readable
      }
    }
  }

  private enum Ending {
    case end
    /// The row with this ID could not be read.
    case damage(Int64)
  }

  private func run(from first: Int64, _ body: ([DatabaseValue]) -> Void) -> Ending {
    var next = first
    do {
      let rows = try Row.fetchCursor(
        database, sql: "SELECT rowid, \(columns) FROM \(table) NOT INDEXED WHERE rowid >= ? ORDER BY rowid",
        arguments: [first])
      while let row = try rows.next() {
        guard let id: Int64 = row[0], id >= next else { return .damage(next) }
        body(Array(row.databaseValues.dropFirst()))
        // There is no larger ID.
        guard id < .max else { return .end }
        next = id + 1
      }
      return .end
    } catch {
      return .damage(next)
    }
  }

  /// Returns the next ID from which rows can be read. Searches with doubling steps first, then with a binary
  /// search within the last step.
  private func readable(after place: Int64) -> Int64? {
    guard place < .max else { return nil }
    // Valid row IDs are positive.
    let place = max(place, 0)
    var unreadable = place
    var stride: Int64 = 1
    while true {
      let (candidate, overflows) = place.addingReportingOverflow(stride)
      guard !overflows else { return nil }
      if canRead(candidate) {
        return first(between: unreadable, and: candidate)
      }
      unreadable = candidate
      (stride, _) = stride.multipliedReportingOverflow(by: 2)
      guard stride > 0 else { return nil }
    }
  }

  private func first(between unreadable: Int64, and readable: Int64) -> Int64 {
    var (low, high) = (unreadable, readable)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if canRead(middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// Returns whether the first row with this ID or a greater one can be read completely; `true` if there is
  /// no such row.
  private func canRead(_ place: Int64) -> Bool {
    do {
      _ = try Row.fetchOne(
        database,
        sql: "SELECT rowid, \(columns) FROM \(table) NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1",
        arguments: [place])
      return true
    } catch {
      return false
    }
  }

  /// Reads a small table without row IDs from both ends, because a damaged page in the middle may stop each
  /// direction. Rows read twice are skipped here or by the caller.
  private func forEachInBothDirections(_ body: ([DatabaseValue]) -> Void) -> Bool {
    var seen: Set<[DatabaseValue]> = []
    for order in ["", " ORDER BY \(columns)", " ORDER BY \(reversed)"] {
      do {
        let rows = try Row.fetchCursor(database, sql: "SELECT \(columns) FROM \(table)\(order)")
        while let row = try rows.next() {
          let values = Array(row.databaseValues)
          if seen.insert(values).inserted { body(values) }
        }
        return order.isEmpty
      } catch {
        continue
      }
    }
    return false
  }

  private var reversed: String {
    columns.split(separator: ", ").map { $0 + " DESC" }.joined(separator: ", ")
  }
}
