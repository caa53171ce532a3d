import Foundation

/// Replacements within a batch: maps the UUID of a record that was not stored to the row with its sync
/// identifier. Follows later replacements of that row.
struct StandIns {
  /// Indexes in `rows`.
  private var places: [UUID: Int] = [:]
  private var rows: [Int64] = []
  private var placesOfRows: [Int64: Int] = [:]

  subscript(uuid: UUID) -> Int64? { places[uuid].map { rows[$0] } }

  mutating func add(_ row: Int64, for uuid: UUID) {
    let place = placesOfRows[row] ?? rows.count
    if place == rows.count {
      rows.append(row)
      placesOfRows[row] = place
    }
    places[uuid] = place
  }

  /// Replaces a row that is deleted.
  mutating func replace(_ row: Int64, by successor: Int64) {
    guard let place = placesOfRows.removeValue(forKey: row) else { return }
    rows[place] = successor
    placesOfRows[successor] = place
  }
}
