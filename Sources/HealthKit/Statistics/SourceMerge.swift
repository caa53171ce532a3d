import HealthStorage

/// The sum of a cumulative type over several sources that measured the same.
///
/// At any time, of the sources that have a sample then only the one that counts most is believed. A sample
/// counts pro rata for the time in which its source is believed: not at all where it lies under samples of a
/// better source, in full where those have a gap. Samples of one source do not compete, so a source alone has
/// its plain sum. What the user entered counts more than what was measured, whatever the source (see
/// `SourceOrder`).
///
/// A sample without duration takes no time from another. It is left out where a better source has a sample at
/// that instant, be it one with a duration or one of the same instant.
///
/// Apple states that data of a source with a lower priority are ignored where one with a higher has some, and
/// not how a sample is split. Time is what splits a sum at the bounds of an interval, so it splits here too.
///
/// Each source has a clock that runs while it is believed. The share of a sample is the time that its
/// source's clock made during it, over its duration; it is known when the sample ends. So what is kept is
/// what overlaps now, and a sample costs the logarithm of that.
struct SourceMerge: Sendable {
  private struct Running: Comparable, Sendable {
    var part: SamplePart
    /// What the clock of the source showed when the part began.
    var clock: Int64

    static func < (left: Running, right: Running) -> Bool { left.part.to < right.part.to }
    static func == (left: Running, right: Running) -> Bool { left.part.to == right.part.to }
  }

  /// What a source has at one instant.
  private struct Instant: Sendable {
    var rank: Int
    var sum: Double
  }

  private let sourceCount: Int
  private var time = Int64.min
  private var sum = 0.0
  /// By their end.
  private var running = BinaryHeap<Running>()
  /// By source.
  private var clocks: [Int64]
  /// Of the present moment, by source.
  private var instants: [Int: Instant] = [:]
  /// How many parts run, by rank: entered by hand before measured, and within that by source.
  private var runningCounts: [Int]
  /// Every rank of which parts run, and perhaps some more.
  private var candidates = BinaryHeap<Int>()
  private var isCandidate: [Bool]

  init(sourceCount: Int) {
    self.sourceCount = sourceCount
    clocks = Array(repeating: 0, count: sourceCount)
    runningCounts = Array(repeating: 0, count: 2 * sourceCount)
    isCandidate = Array(repeating: false, count: 2 * sourceCount)
  }

  /// Takes in a part; they come in order of `from`.
  mutating func add(_ part: SamplePart) {
    if part.from > time { advance(to: part.from) }
    let rank = part.isEntered ? part.source : sourceCount + part.source
    guard part.to > part.from else {
      let other = instants[part.source]
      instants[part.source] = Instant(
        rank: min(rank, other?.rank ?? rank), sum: part.value + (other?.sum ?? 0))
      return
    }
    running.insert(Running(part: part, clock: clocks[part.source]))
    runningCounts[rank] += 1
    guard !isCandidate[rank] else { return }
    isCandidate[rank] = true
    candidates.insert(rank)
  }

  /// The sum of what was added since the last time. What comes next begins no earlier than all of this ended.
  mutating func finish() -> Double {
    settleInstants()
    while let first = running.least { end(first) }
    defer { sum = 0 }
    return sum
  }

  private mutating func advance(to target: Int64) {
    settleInstants()
    while let first = running.least, first.part.to <= target { end(first) }
    run(until: target)
  }

  /// - Parameter first: of those running the first to end.
  private mutating func end(_ first: Running) {
    let part = first.part
    run(until: part.to)
    running.removeLeast()
    runningCounts[part.isEntered ? part.source : sourceCount + part.source] -= 1
    sum += part.share(of: clocks[part.source] - first.clock)
  }

  /// Nothing begins or ends before then.
  private mutating func run(until end: Int64) {
    if let believed { clocks[believed % sourceCount] += end - time }
    time = end
  }

  /// The best rank of which a part runs.
  private var believed: Int? {
    mutating get {
      while let best = candidates.least {
        if runningCounts[best] > 0 { return best }
        candidates.removeLeast()
        isCandidate[best] = false
      }
      return nil
    }
  }

  private mutating func settleInstants() {
    guard var best = instants.values.lazy.map(\.rank).min() else { return }
    if let believed { best = min(best, believed) }
    sum += instants[best % sourceCount]?.sum ?? 0
    instants.removeAll(keepingCapacity: true)
  }
}
