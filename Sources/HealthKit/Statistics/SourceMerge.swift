package import HealthStorage

/// The sum of a cumulative type over several sources that measured the same thing.
///
/// At any time, only the source with the highest priority among those that have a sample counts. A sample
/// counts pro rata for the time in which its source counts: not at all while a better source has samples, and
/// fully in the gaps of better sources. Samples of the same source do not compete, so a single source has its
/// plain sum. Values the user entered have priority over measured values of any source (see `SourceOrder`).
///
/// A sample without a duration takes no time from others. It is ignored if a better source has a sample at
/// that instant, either one with a duration or one at the same instant.
///
/// Apple documents that data of a source is ignored while a source with a higher priority has data. Apple
/// does not document how samples are split. Sums are split by time at the bounds of an interval, so they are
/// split by time here too.
///
/// Each source has a clock that runs while the source counts. The share of a sample is the time its source's
/// clock advanced during the sample, divided by the duration of the sample. It is known when the sample ends.
/// Memory use is therefore proportional to the samples that overlap at one time, and the cost per sample is
/// logarithmic in their number.
struct SourceMerge: Sendable {
  private struct Running: Comparable, Sendable {
    var part: SamplePart
    /// The clock of the source when the part began.
    var clock: Int64

    static func < (left: Running, right: Running) -> Bool { left.part.to < right.part.to }
    static func == (left: Running, right: Running) -> Bool { left.part.to == right.part.to }
  }

  /// The samples of a source at one instant.
  private struct Instant: Sendable {
    var rank: Int
    var sum: Double
  }

  private let sourceCount: Int
  private var time = Int64.min
  private var sum = 0.0
  /// The running parts, ordered by end.
  private var running = BinaryHeap<Running>()
  /// The clocks by source.
  private var clocks: [Int64]
  /// The samples at the current time without a duration, by source.
  private var instants: [Int: Instant] = [:]
  /// The number of running parts by rank. Manual entries come before measurements; within each group, sources
  /// are in order of priority.
  private var runningCounts: [Int]
  /// A superset of the ranks with running parts.
  private var candidates = BinaryHeap<Int>()
  private var isCandidate: [Bool]

  init(sourceCount: Int) {
    self.sourceCount = sourceCount
    clocks = Array(repeating: 0, count: sourceCount)
    runningCounts = Array(repeating: 0, count: 2 * sourceCount)
    isCandidate = Array(repeating: false, count: 2 * sourceCount)
  }

  /// Adds a part. Parts must be added in order of `from`.
  mutating func add(_ part: SamplePart) {
    if part.from > time { advance(to: part.from) }
    // Ranks below `sourceCount` are manual entries, the others measurements.
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

  /// Returns the sum of the parts added since the last call. Later parts must not begin before all of these
  /// have ended.
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

  /// Ends a running part and adds its share to the sum.
  /// - Parameter first: The running part with the earliest end.
  private mutating func end(_ first: Running) {
    let part = first.part
    run(until: part.to)
    running.removeLeast()
    runningCounts[part.isEntered ? part.source : sourceCount + part.source] -= 1
    sum += part.share(of: clocks[part.source] - first.clock)
  }

  /// Advances the time. No part may begin or end in between.
  private mutating func run(until end: Int64) {
    if let believed { clocks[believed % sourceCount] += end - time }
    time = end
  }

  /// The best rank with a running part.
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

// MARK: - Order of sources

/// The priority of sources that measured the same thing.
///
/// The sources that the user ordered for the type come first. They are followed by Apple's devices (Apple's
/// default) and then by all others. Within these groups, the source that the store saw later has priority.
/// Values the user entered have priority over measurements of any source (see `SourceMerge`).
struct SourceOrder: Sendable {
  /// Indices into the sources passed to `init`, in order of priority.
  let places: [Int]

  /// Computes the order of sources.
  /// - Parameters:
  ///   - sources: The sources in the order in which the store first saw them.
  ///   - chosen: Indices into `sources` in the order chosen by the user. May be incomplete.
  init(_ sources: [SourceRecord], chosen: [Int]) {
    let isChosen = Set(chosen)
    let others = sources.indices.reversed().filter { !isChosen.contains($0) }
    places =
      chosen + others.filter { Self.isApples(sources[$0]) } + others.filter { !Self.isApples(sources[$0]) }
  }

  /// Returns whether a source is an Apple device or app. The bundle identifier of an iPhone or watch is
  /// `com.apple.health.` and a UUID; that of the Health app is `com.apple.Health`.
  private static func isApples(_ source: SourceRecord) -> Bool {
    source.bundleIdentifier.lowercased().hasPrefix("com.apple.health")
  }
}

extension SourceOrderRecord {
  /// The sources in order of priority, and whether the user chose the position. See `SourceOrder`.
  package var places: [(source: HKSource, isChosen: Bool)] {
    let byChoice = Set(chosen)
    return SourceOrder(sources, chosen: chosen).places.map { (HKSource(sources[$0]), byChoice.contains($0)) }
  }
}

// MARK: - Parts of samples

/// A sample, or the part of it within one interval. Times are in microseconds.
struct SamplePart: Sendable {
  /// The value of the whole sample.
  var value: Double
  var start: Int64
  var end: Int64
  /// The bounds of the part.
  var from: Int64
  var to: Int64
  /// The index of the source in order of priority; 0 is the highest.
  var source: Int
  /// Whether the user entered the value manually.
  var isEntered: Bool

  var duration: Int64 { to - from }

  /// The share of the part in the value of the sample, for sums.
  var share: Double { share(of: duration) }

  /// Returns the share of a time in the value of the sample. The share of the whole duration is exactly the
  /// value.
  func share(of time: Int64) -> Double {
    end == start ? value : value * (Double(time) / Double(end - start))
  }
}
