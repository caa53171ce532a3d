/// The last few intervals, for their median.
struct RecentIntervals {
  private static let capacity = 15

  private var ticks: InlineArray<15, UInt16> = InlineArray(repeating: 0)
  private var count = 0
  private var next = 0
  /// The number of intervals since ``tolerance`` was computed.
  private var age = 0

  /// How long after its last beat a measurement frame may arrive without being late, in microseconds:
  /// ``BeatClock/lagInIntervals`` times the median. Recomputed only every 60 intervals, because the median
  /// changes slowly.
  private(set) var tolerance = leastTolerance

  mutating func append(_ interval: UInt16) {
    ticks[next] = interval
    next = next + 1 == Self.capacity ? 0 : next + 1
    count = min(count + 1, Self.capacity)
    age += 1
    if age >= 4 * Self.capacity || count < Self.capacity {
      age = 0
      tolerance = max(Int64(Double(median) * BeatClock.lagInIntervals * 1e6 / 1024), Self.leastTolerance)
    }
  }

  /// The median in ticks; 0 if there are no intervals.
  private var median: UInt16 {
    guard count > 0 else { return 0 }
    var sorted = InlineArray<15, UInt16>(repeating: .max)
    for index in 0..<count {
      var place = index
      while place > 0, sorted[place - 1] > ticks[index] {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = ticks[index]
    }
    return sorted[count / 2]
  }

  /// Minimum tolerance in microseconds. At a very high heart rate, intervals are shorter than the radio's
  /// delay.
  static let leastTolerance: Int64 = 750_000
}
