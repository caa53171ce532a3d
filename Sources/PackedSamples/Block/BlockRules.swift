/// What must hold of the columns of a block, when it is written and when it is read.
enum BlockRules {
  static func check(starts: [Int64]) throws(BlockFlaw) {
    var last = Int64.min
    for start in starts {
      guard start >= last else { throw .descendingStarts }
      last = start
    }
  }

  /// - Parameter durations: as many as starts.
  static func check(durations: [Int64], from starts: [Int64]) throws(BlockFlaw) {
    for place in durations.indices {
      let duration = durations[place]
      guard duration >= 0, !starts[place].addingReportingOverflow(duration).overflow else { throw .end }
    }
  }

  static func check(values: [Double]) throws(BlockFlaw) {
    // Without a way out of the loop, several at a time are looked at.
    let isSound = values.reduce(true) { $0 && !$1.isNaN }
    guard isSound else { throw .notANumber }
  }

  static func check(changes: [Int64]) throws(BlockFlaw) {
    for change in changes where change <= 0 { throw .change }
  }
}
