/// Where packed samples lie in the change log and in time, and how many they are.
struct PackedExtent: Equatable {
  var changes: (first: Int64, last: Int64) = (.max, .min)
  var times: (first: Int64, last: Int64) = (.max, .min)
  var count = 0

  mutating func add(_ header: StoredBlock.Header) {
    changes = (min(changes.first, header.firstChange), max(changes.last, header.lastChange))
    times = (min(times.first, header.start), max(times.last, header.end))
    count += header.count
  }

  /// Whether these are samples of it, but not all.
  func contains(_ other: PackedExtent) -> Bool {
    changes.first <= other.changes.first && other.changes.last <= changes.last
      && times.first <= other.times.first && other.times.last <= times.last && other.count < count
  }

  static func == (left: PackedExtent, right: PackedExtent) -> Bool {
    left.changes == right.changes && left.times == right.times && left.count == right.count
  }
}
