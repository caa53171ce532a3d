/// Groups quantities by hour (UTC).
struct MeasuredHours {
  struct Hour {
    var start: Int64
    var end: Int64
    /// The indexes of the quantities, in the order of their start.
    var indexes: [Int]
    /// Whether all quantities end within the hour and are after 1970.
    var isWithin: Bool
  }

  private(set) var all: [Hour] = []

  /// - Parameter indexes: The indexes of the quantities to group; `nil` for all.
  init(_ quantities: MeasuredQuantities, _ indexes: [Int]?) {
    let starts = quantities.starts
    var indexes = indexes ?? Array(starts.indices)
    if !quantities.isAscending {
      indexes.sort { (starts[$0], quantities.end(at: $0), $0) < (starts[$1], quantities.end(at: $1), $1) }
    }
    var next = Int64.min
    for index in indexes {
      let (start, end) = (starts[index], quantities.end(at: index))
      // A quantity that does not end within its hour gets a group of its own.
      let isWithin = start >= 0 && HourSummary.start(of: start) == HourSummary.start(of: end)
      if isWithin, start < next {
        // Append in place, because a copy of the hour would copy its array of indexes for each quantity.
        let last = all.count - 1
        all[last].indexes.append(index)
        all[last].end = max(all[last].end, end)
      } else {
        all.append(Hour(start: start, end: end, indexes: [index], isWithin: isWithin))
        next = isWithin ? HourSummary.start(of: start) + HourSummary.length : .min
      }
    }
  }
}
