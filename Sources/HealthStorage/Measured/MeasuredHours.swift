/// Quantities by the hours of UTC in which they lie.
struct MeasuredHours {
  struct Hour {
    var start: Int64
    var end: Int64
    /// In order of start.
    var places: [Int]
    /// Whether none reaches beyond the hour, or lies before 1970.
    var isWithin: Bool

    var isWorthBlock: Bool { isWithin && places.count >= PackingLimit.fewest }
  }

  private(set) var all: [Hour] = []

  /// - Parameter places: of those that count; nil for all.
  init(_ quantities: MeasuredQuantities, _ places: [Int]?) {
    let starts = quantities.starts
    var places = places ?? Array(starts.indices)
    if !quantities.isAscending {
      places.sort { (starts[$0], quantities.end(at: $0), $0) < (starts[$1], quantities.end(at: $1), $1) }
    }
    var next = Int64.min
    for place in places {
      let (start, end) = (starts[place], quantities.end(at: place))
      // What reaches beyond its hour is alone.
      let isWithin = start >= 0 && HourSummary.start(of: start) == HourSummary.start(of: end)
      if isWithin, start < next, let last = all.last, last.isWithin {
        all[all.count - 1].places.append(place)
        all[all.count - 1].end = max(last.end, end)
      } else {
        all.append(Hour(start: start, end: end, places: [place], isWithin: isWithin))
        next = isWithin ? HourSummary.start(of: start) + HourSummary.length : .min
      }
    }
  }
}
