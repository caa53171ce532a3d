/// The intervals of a fold in order of time: those that are done, the one in which samples begin now, and
/// those ahead into which samples reach.
struct StatisticsBuckets: Sendable {
  /// The figures of one interval.
  struct Bucket: Sendable {
    let bounds: StatisticsIntervals.Bounds
    var merged = StatisticsAccumulator()
    /// By the place of the source; empty unless sources are separated.
    var bySource: [Int: StatisticsAccumulator] = [:]
    /// What is to be merged once samples begin here.
    fileprivate var waiting: [SamplePart] = []

    init(bounds: StatisticsIntervals.Bounds) { self.bounds = bounds }

    mutating func update(_ source: Int?, _ body: (inout StatisticsAccumulator) -> Void) {
      body(&merged)
      if let source { body(&bySource[source, default: StatisticsAccumulator()]) }
    }
  }

  var current: Bucket
  private var done: [Bucket] = []
  /// Consecutive, from the one after the current on; those before `firstAhead` are used up.
  private var ahead: [Bucket] = []
  private var firstAhead = 0
  /// nil for one interval that holds everything.
  private let intervals: StatisticsIntervals?
  /// nil where a sum is the plain one.
  private var merge: SourceMerge?

  private static let always = StatisticsIntervals.Bounds(index: 0, start: .min, end: .max)
  private static let none = StatisticsIntervals.Bounds(index: 0, start: .max, end: .min)

  init(_ intervals: StatisticsIntervals?, merge: SourceMerge?) {
    self.intervals = intervals
    self.merge = merge
    current = Bucket(bounds: intervals == nil ? Self.always : Self.none)
  }

  /// Makes the interval that holds a time the current one.
  /// - Parameter time: no earlier than any before.
  /// - Throws: if no interval holds it.
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
      throw HKError(.errorInvalidArgument, reason: "no interval of the statistics collection holds a sample")
    }
    current = Bucket(bounds: bounds)
  }

  /// About how many bounds of intervals lie in a time.
  func count(in duration: Int64) -> Int { intervals?.count(in: duration) ?? 0 }

  /// Visits the current interval and those after it that a sample reaches into, each with the sample's part
  /// in it, which counts in the sum.
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

  /// Visits the interval of an index, which is the current one or was it before.
  mutating func update(_ index: Int, _ body: (inout Bucket) -> Void) {
    if index == current.bounds.index { return body(&current) }
    var (low, high) = (0, done.count)
    while low < high {
      let middle = (low + high) / 2
      if done[middle].bounds.index < index { low = middle + 1 } else { high = middle }
    }
    if low < done.count, done[low].bounds.index == index { body(&done[low]) }
  }

  /// The intervals that hold samples, in order.
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
    guard firstAhead * 2 >= ahead.count else { return }
    ahead.removeFirst(firstAhead)
    firstAhead = 0
  }
}
