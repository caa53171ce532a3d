/// The intervals of a computation in chronological order: past ones, the current one, in which samples begin,
/// and future ones, into which these samples extend.
struct StatisticsBuckets: Sendable {
  /// The statistics of one interval.
  struct Bucket: Sendable {
    let bounds: StatisticsIntervals.Bounds
    var merged = StatisticsAccumulator()
    /// The statistics by source index; empty unless they are computed for each source.
    var bySource: [Int: StatisticsAccumulator] = [:]
    /// The parts of samples in this interval, which are merged when the interval becomes the current one.
    fileprivate var waiting: [SamplePart] = []

    init(bounds: StatisticsIntervals.Bounds) { self.bounds = bounds }

    mutating func update(_ source: Int?, _ body: (inout StatisticsAccumulator) -> Void) {
      body(&merged)
      if let source { body(&bySource[source, default: StatisticsAccumulator()]) }
    }
  }

  var current: Bucket
  private var done: [Bucket] = []
  /// The consecutive intervals after the current one. Those before `firstAhead` are no longer needed.
  private var ahead: [Bucket] = []
  private var firstAhead = 0
  /// The intervals; nil for a single interval that contains everything.
  private let intervals: StatisticsIntervals?
  /// The merge of several sources; nil if sums are not merged.
  private var merge: SourceMerge?

  private static let always = StatisticsIntervals.Bounds(index: 0, start: .min, end: .max)
  private static let none = StatisticsIntervals.Bounds(index: 0, start: .max, end: .min)

  init(_ intervals: StatisticsIntervals?, merge: SourceMerge?) {
    self.intervals = intervals
    self.merge = merge
    current = Bucket(bounds: intervals == nil ? Self.always : Self.none)
  }

  /// Makes the interval that contains a time the current one.
  /// - Parameter time: Must not be earlier than in any previous call.
  /// - Throws: `HKError` errorInvalidArgument if no interval contains the time.
  mutating func move(to time: Int64) throws(HKError) {
    guard !current.bounds.contains(time), let intervals else { return }
    close()
    while firstAhead < ahead.count {
      current = ahead[firstAhead]
      firstAhead += 1
      open()
      if current.bounds.contains(time) { return dropUsed() }
      close()
    }
    dropUsed()
    guard let bounds = intervals.bounds(at: time) else {
      throw HKError(.errorInvalidArgument, reason: "no interval of the statistics collection has a sample")
    }
    current = Bucket(bounds: bounds)
  }

  /// Returns the approximate number of interval bounds within a duration.
  func count(in duration: Int64) -> Int { intervals?.count(in: duration) ?? 0 }

  /// Calls a closure with each part of a sample and its interval, for the current interval and each later one
  /// into which the sample extends. Also adds the parts to the sums.
  mutating func forEach(part whole: SamplePart, _ body: (inout Bucket, SamplePart) -> Void) {
    var part = whole
    part.to = min(whole.end, current.bounds.end)
    body(&current, part)
    if merge == nil { current.merged.add(sum: part.share) } else { merge?.add(part) }
    guard part.to < whole.end, let intervals else { return }
    var place = firstAhead
    while part.to < whole.end {
      if place == ahead.count {
        let last = place == firstAhead ? current : ahead[place - 1]
        ahead.append(Bucket(bounds: intervals.bounds(last.bounds.index + 1)))
      }
      part.from = ahead[place].bounds.start
      part.to = min(whole.end, ahead[place].bounds.end)
      guard part.to > part.from else { return }
      body(&ahead[place], part)
      if merge == nil { ahead[place].merged.add(sum: part.share) } else { ahead[place].waiting.append(part) }
      place += 1
    }
  }

  /// Updates the interval with an index. It must be the current one or an earlier one.
  mutating func update(_ index: Int, _ body: (inout Bucket) -> Void) {
    if index == current.bounds.index { return body(&current) }
    var (low, high) = (0, done.count)
    while low < high {
      let middle = (low + high) / 2
      if done[middle].bounds.index < index { low = middle + 1 } else { high = middle }
    }
    if low < done.count, done[low].bounds.index == index { body(&done[low]) }
  }

  /// Returns the intervals with samples, in order.
  consuming func finish() -> [Bucket] {
    close()
    while firstAhead < ahead.count {
      current = ahead[firstAhead]
      firstAhead += 1
      open()
      close()
    }
    return done
  }

  private mutating func open() {
    for part in current.waiting { merge?.add(part) }
    current.waiting = []
  }

  private mutating func close() {
    if let sum = merge?.finish() { current.merged.add(sum: sum) }
    if !current.merged.isEmpty { done.append(current) }
  }

  private mutating func dropUsed() {
    // Removing elements from the front moves all others, so do it only when at least half of them are no
    // longer needed.
    guard firstAhead * 2 >= ahead.count else { return }
    ahead.removeFirst(firstAhead)
    firstAhead = 0
  }
}
