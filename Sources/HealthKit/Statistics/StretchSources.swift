import HealthStorage

/// Of which sources the columns of a stretch are.
struct StretchSources {
  /// By column.
  let places: [Int]

  /// - Parameter places: from a sample's provenance to the place of its source.
  /// - Returns: nil if a source is unknown, or one's columns are not after one another.
  init?(_ stretch: PackedStretch, _ places: [Int64: Int]) {
    var found: [Int] = []
    var ends: [Int: Int64] = [:]
    for columns in stretch.columns {
      guard let place = places[columns.provenance], let first = columns.starts.first,
        ends[place].map({ first > $0 }) ?? true
      else { return nil }
      ends[place] = columns.starts.last
      found.append(place)
    }
    self.places = found
  }
}
