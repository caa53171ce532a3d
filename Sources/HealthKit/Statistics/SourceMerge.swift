package import HealthStorage

/// Computes the sum of a cumulative type, such as steps, if several sources measured the same thing.
///
/// At any time, only one source counts: of the sources with a sample at that time, the one with the highest
/// priority. A sample counts in proportion to the time during which its source counts. It does not count at
/// all while a source with a higher priority has samples, and counts fully in the gaps of such sources. All
/// samples of the same source count, so with a single source, the result is the plain sum. Values that the
/// user entered take priority over measured values from any source (see `SourceOrder`).
///
/// A sample without a duration does not reduce the shares of other samples. It is ignored if a source with a
/// higher priority has a sample at that time, with or without a duration.
///
/// Apple documents that data from a source is ignored while a source with a higher priority has data, but not
/// how samples are split. Apple splits sums at the bounds of an interval in proportion to time, so samples
/// are split in the same way here.
///
/// Each source has a clock that runs while the source counts. When a sample ends, its share is the time that
/// the clock of its source advanced during the sample, divided by the duration of the sample. Memory use is
/// therefore proportional to the number of samples that overlap at any one time, and the time per sample is
/// logarithmic in that number.
struct SourceMerge: Sendable {
  private struct Running: Comparable, Sendable {
    var part: SamplePart
    /// The value of the source's clock (see `clocks`) at the start of the sample.
    var clock: Int64

    static func < (left: Running, right: Running) -> Bool { left.part.to < right.part.to }
    static func == (left: Running, right: Running) -> Bool { left.part.to == right.part.to }
  }

  /// The samples without a duration that a source has at one time.
  private struct Instant: Sendable {
    var rank: Int
    var sum: Double
  }

  private let sourceCount: Int
  private var time = Int64.min
  private var sum = 0.0
  /// The samples that have begun and not ended at the current time, ordered by end.
  private var running = BinaryHeap<Running>()
  /// The clock of each source: the total time, in microseconds, during which the source has counted so far.
  private var clocks: [Int64]
  /// The samples without a duration at the current time, by source.
  private var instants: [Int: Instant] = [:]
  /// The number of samples in `running` by rank, a number that is lower for a higher priority. Manual entries
  /// come before measurements; within each group, sources are in order of priority.
  private var runningCounts: [Int]
  /// The ranks of the samples in `running`. May also contain ranks whose samples have ended.
  private var candidates = BinaryHeap<Int>()
  private var isCandidate: [Bool]

  init(sourceCount: Int) {
    self.sourceCount = sourceCount
    clocks = Array(repeating: 0, count: sourceCount)
    runningCounts = Array(repeating: 0, count: 2 * sourceCount)
    isCandidate = Array(repeating: false, count: 2 * sourceCount)
  }

  /// Adds a sample, or the part of a sample in one interval. Parts must be added in the order of `from`.
  mutating func add(_ part: SamplePart) {
    if part.from > time { advance(to: part.from) }
    // Manual entries have ranks below `sourceCount`, and measurements have the others.
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

  /// Returns the sum of the parts added since the last call. Parts that are added later must not begin before
  /// all of these have ended.
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

  /// Ends a part and adds its share to the sum.
  /// - Parameter first: The part in `running` with the earliest end.
  private mutating func end(_ first: Running) {
    let part = first.part
    run(until: part.to)
    running.removeLeast()
    runningCounts[part.isEntered ? part.source : sourceCount + part.source] -= 1
    sum += part.share(of: clocks[part.source] - first.clock)
  }

  /// Advances the current time. No part may begin or end in between.
  private mutating func run(until end: Int64) {
    if let believed { clocks[believed % sourceCount] += end - time }
    time = end
  }

  /// The rank with the highest priority that has a part in `running`. Its source counts at the current time.
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
/// The sources that the user ordered for the type come first. They are followed by Apple's devices, as on
/// Apple's systems, and then by all others. Within each of these two groups, the source whose first sample
/// was stored later has priority. Values that the user entered take priority over measurements from any
/// source (see `SourceMerge`).
struct SourceOrder: Sendable {
  /// The indices of the sources in the array passed to `init`, highest priority first.
  let places: [Int]

  /// Computes the order of sources.
  /// - Parameters:
  ///   - sources: The sources in the order in which their first samples were stored.
  ///   - chosen: Indices into `sources`, in the order that the user chose. It may contain only some of the
  ///     sources.
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
  /// The sources in order of priority, and whether the user chose the position of each. See `SourceOrder`.
  package var places: [(source: HKSource, isChosen: Bool)] {
    let byChoice = Set(chosen)
    return SourceOrder(sources, chosen: chosen).places.map { (HKSource(sources[$0]), byChoice.contains($0)) }
  }
}

// MARK: - Parts of samples

/// A sample, or the part of it in one interval. Times are in microseconds.
struct SamplePart: Sendable {
  /// The value of the whole sample.
  var value: Double
  var start: Int64
  var end: Int64
  /// The start and end of the part.
  var from: Int64
  var to: Int64
  /// The position of the source in the order of priority; 0 has the highest priority.
  var source: Int
  /// Whether the user entered the value by hand.
  var isEntered: Bool

  var duration: Int64 { to - from }

  /// How much of the sample's value belongs to this part, in proportion to its duration.
  var share: Double { share(of: duration) }

  /// Returns how much of the sample's value belongs to a duration. For the whole duration, this is exactly
  /// the value.
  func share(of time: Int64) -> Double {
    end == start ? value : value * (Double(time) / Double(end - start))
  }
}
