import Foundation

/// The stored samples that replace samples not saved in the current transaction, because a version with the
/// same sync identifier is already stored. If such a stored sample is replaced later in the transaction, the
/// new one is used.
struct ReplacementRows {
  /// The index in `rows` for each UUID that was not saved.
  private var places: [UUID: Int] = [:]
  private var rows: [Int64] = []
  private var indexesOfRows: [Int64: Int] = [:]

  subscript(uuid: UUID) -> Int64? { places[uuid].map { rows[$0] } }

  mutating func add(_ row: Int64, for uuid: UUID) {
    let place = indexesOfRows[row] ?? rows.count
    if place == rows.count {
      rows.append(row)
      indexesOfRows[row] = place
    }
    places[uuid] = place
  }

  /// Substitutes another row for one that is deleted.
  mutating func replace(_ row: Int64, by successor: Int64) {
    guard let place = indexesOfRows.removeValue(forKey: row) else { return }
    rows[place] = successor
    indexesOfRows[successor] = place
  }
}
