import Foundation

/// For the UUID of a record that was not stored, the row of the sample that holds its sync identifier,
/// through all replacements of that sample that follow in the batch.
struct StandIns {
  /// Places in `rows`.
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

  /// Another row takes the place of one that is deleted.
  mutating func replace(_ row: Int64, by successor: Int64) {
    guard let place = placesOfRows.removeValue(forKey: row) else { return }
    rows[place] = successor
    placesOfRows[successor] = place
  }
}
