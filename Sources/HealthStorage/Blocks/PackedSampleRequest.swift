/// What SQLite asks of the samples in blocks. It checks again whatever is not said here.
struct PackedSampleRequest {
  /// How a question travels from planning to the cursor, as `idxNum`.
  struct Parts: OptionSet {
    let rawValue: Int32

    static let type = Parts(rawValue: 1)
    static let startFrom = Parts(rawValue: 2)
    static let startUpTo = Parts(rawValue: 4)
    static let change = Parts(rawValue: 8)
    static let changeFrom = Parts(rawValue: 16)
    static let changeUpTo = Parts(rawValue: 32)
    static let uuid = Parts(rawValue: 64)
    /// In order of the change log; else in order of start, then of the change log.
    static let byChange = Parts(rawValue: 128)
    static let descending = Parts(rawValue: 256)
    static let provenance = Parts(rawValue: 512)
    // Of IN, whose values come all at once: one by one each would decode its block again.
    static let changeList = Parts(rawValue: 1024)
    static let uuidList = Parts(rawValue: 2048)
    static let provenanceList = Parts(rawValue: 4096)

    static let lists: Parts = [.changeList, .uuidList, .provenanceList]

    /// The parts that come with a value, in the order of the values.
    static let withValues: [Parts] = [
      .type, .startFrom, .startUpTo, .change, .changeFrom, .changeUpTo, .uuid, .provenance, .changeList,
      .uuidList, .provenanceList,
    ]
  }

  /// UUIDs of version 8, in order.
  struct WantedUUIDs {
    private var words: [(high: UInt64, low: UInt64)]

    /// Others than those of version 8 are left out: blocks hold none.
    init(_ words: [(high: UInt64, low: UInt64)]) {
      self.words = words.filter { $0.high & 0xF000 == 0x8000 }
        .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    }

    /// The milliseconds in which the first and the last one's samples end; nil if there are none.
    var milliseconds: ClosedRange<Int64>? {
      guard let first = words.first, let last = words.last else { return nil }
      return Int64(first.high >> 16)...Int64(last.high >> 16)
    }

    /// Whether there is one whose sample ends in these milliseconds.
    func isAny(in milliseconds: ClosedRange<Int64>) -> Bool {
      let next = place(high: UInt64(max(milliseconds.lowerBound, 0)) << 16, low: 0)
      return next < words.count && Int64(words[next].high >> 16) <= milliseconds.upperBound
    }

    func contains(_ wanted: (high: UInt64, low: UInt64)) -> Bool {
      let next = place(high: wanted.high, low: wanted.low)
      return next < words.count && words[next] == wanted
    }

    /// Of the first that is no less.
    private func place(high: UInt64, low: UInt64) -> Int {
      SortedPlace.of(words.count) { (words[$0].high, words[$0].low) < (high, low) }
    }
  }

  var type: Int64?
  var starts: ClosedRange<Int64> = .min ... .max
  var changes: ClosedRange<Int64> = .min ... .max
  /// In ascending order; nil for all.
  private(set) var wantedChanges: [Int64]?
  /// nil if none are asked for.
  private(set) var uuids: WantedUUIDs?
  /// nil for all.
  var provenances: Set<Int64>?
  var isByChange = false
  var isDescending = false
  /// Nothing can match.
  var isEmpty = false

  /// Whether fewer blocks are found by their places in the change log than by their starts.
  var isNarrowerByChange: Bool {
    starts == .min ... .max && changes != .min ... .max
  }

  /// Whether a block may hold what is asked for, by what the indexes tell of it.
  func concerns(start: Int64, firstChange: Int64, lastChange: Int64) -> Bool {
    if let wantedChanges {
      let next = SortedPlace.of(wantedChanges.count) { wantedChanges[$0] < firstChange }
      guard next < wantedChanges.count, wantedChanges[next] <= lastChange else { return false }
    }
    guard let uuids else { return true }
    // Of a damaged row any will do.
    let start = min(max(start, 0), .max / 2)
    return uuids.isAny(in: start / 1000...(HourSummary.start(of: start) + HourSummary.length - 1) / 1000)
  }

  /// Whether samples of a kind are asked for.
  func concerns(_ kind: BlockKind) -> Bool {
    (type ?? kind.type) == kind.type && provenances?.contains(kind.provenance) != false
  }

  func admits(change: Int64) -> Bool {
    guard changes.contains(change) else { return false }
    guard let wantedChanges else { return true }
    let next = SortedPlace.of(wantedChanges.count) { wantedChanges[$0] < change }
    return next < wantedChanges.count && wantedChanges[next] == change
  }

  mutating func narrow(toChanges list: [Int64]) {
    let list = list.sorted()
    guard let first = list.first, let last = list.last else { return isEmpty = true }
    wantedChanges = list
    narrow(changesFrom: first)
    narrow(changesUpTo: last)
  }

  /// Only those of version 8 name the times of their samples; blocks hold no others.
  mutating func narrow(toUUIDs list: [(high: UInt64, low: UInt64)]) {
    let wanted = WantedUUIDs(list)
    guard let milliseconds = wanted.milliseconds else { return isEmpty = true }
    uuids = wanted
    // No sample of a block starts in another hour than it ends in.
    narrow(startsFrom: HourSummary.start(of: milliseconds.lowerBound * 1000))
    narrow(startsUpTo: milliseconds.upperBound * 1000 + 999)
  }

  mutating func narrow(toProvenances list: Set<Int64>) {
    provenances = provenances?.intersection(list) ?? list
    if list.isEmpty { isEmpty = true }
  }

  mutating func narrow(startsFrom time: Int64) { narrow(\.starts, time, .max) }
  mutating func narrow(startsUpTo time: Int64) { narrow(\.starts, .min, time) }
  mutating func narrow(changesFrom change: Int64) { narrow(\.changes, change, .max) }
  mutating func narrow(changesUpTo change: Int64) { narrow(\.changes, .min, change) }

  private mutating func narrow(
    _ range: WritableKeyPath<Self, ClosedRange<Int64>>, _ from: Int64, _ upTo: Int64
  ) {
    let (first, last) = (
      max(self[keyPath: range].lowerBound, from), min(self[keyPath: range].upperBound, upTo)
    )
    guard first <= last else { return isEmpty = true }
    self[keyPath: range] = first...last
  }
}

/// Where something lies, or would, in what is sorted.
enum SortedPlace {
  /// - Parameter isBefore: whether what is at a place lies before what is sought.
  /// - Returns: the first place of which that is not so; the count if there is none.
  static func of(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
