/// A query of the samples in compressed segments, as SQLite passes it to `packed_sample`. SQLite checks all
/// other conditions itself.
struct PackedSampleRequest {
  /// The kinds of conditions in a query. SQLite passes them in `idxNum` from planning to the cursor.
  struct Parts: OptionSet {
    let rawValue: Int32

    static let type = Parts(rawValue: 1)
    static let startFrom = Parts(rawValue: 2)
    static let startUpTo = Parts(rawValue: 4)
    static let change = Parts(rawValue: 8)
    static let changeFrom = Parts(rawValue: 16)
    static let changeUpTo = Parts(rawValue: 32)
    static let uuid = Parts(rawValue: 64)
    /// Rows are in the order of the change log. Otherwise they are ordered by start, then by change log
    /// position.
    static let byChange = Parts(rawValue: 128)
    static let descending = Parts(rawValue: 256)
    static let provenance = Parts(rawValue: 512)
    // All values of an IN together. If SQLite passed them one by one, a compressed segment would be decoded
    // again for each value.
    static let changeList = Parts(rawValue: 1024)
    static let uuidList = Parts(rawValue: 2048)
    static let provenanceList = Parts(rawValue: 4096)

    static let lists: Parts = [.changeList, .uuidList, .provenanceList]

    /// The kinds of conditions that have a value, in the order in which SQLite passes the values.
    static let withValues: [Parts] = [
      .type, .startFrom, .startUpTo, .change, .changeFrom, .changeUpTo, .uuid, .provenance, .changeList,
      .uuidList, .provenanceList,
    ]
  }

  /// The UUIDs to search for, sorted. All have version 8.
  struct WantedUUIDs {
    private var words: [(high: UInt64, low: UInt64)]

    /// Creates the list. UUIDs of other versions are omitted, because compressed segments contain none.
    init(_ words: [(high: UInt64, low: UInt64)]) {
      self.words = words.filter { $0.high & 0xF000 == 0x8000 }
        .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    }

    /// The range of milliseconds in which the samples with these UUIDs end; `nil` if there are no UUIDs.
    var milliseconds: ClosedRange<Int64>? {
      guard let first = words.first, let last = words.last else { return nil }
      return Int64(first.high >> 16)...Int64(last.high >> 16)
    }

    /// Returns whether one of the UUIDs belongs to a sample that ends in these milliseconds.
    func isAny(in milliseconds: ClosedRange<Int64>) -> Bool {
      let next = position(high: UInt64(max(milliseconds.lowerBound, 0)) << 16, low: 0)
      return next < words.count && Int64(words[next].high >> 16) <= milliseconds.upperBound
    }

    func contains(_ wanted: (high: UInt64, low: UInt64)) -> Bool {
      let next = position(high: wanted.high, low: wanted.low)
      return next < words.count && words[next] == wanted
    }

    /// Returns the index of the first UUID that is not less than the given one.
    private func position(high: UInt64, low: UInt64) -> Int {
      BinarySearch.of(words.count) { (words[$0].high, words[$0].low) < (high, low) }
    }
  }

  var type: Int64?
  var starts: ClosedRange<Int64> = .min ... .max
  /// All matching samples end at this time or later.
  var endsFrom = Int64.min
  var changes: ClosedRange<Int64> = .min ... .max
  /// The wanted positions in the change log, in ascending order; `nil` for all.
  private(set) var wantedChanges: [Int64]?
  /// The wanted UUIDs; `nil` for all.
  private(set) var uuids: WantedUUIDs?
  /// The IDs of the wanted provenances; `nil` for all.
  var provenances: Set<Int64>?
  var isByChange = false
  var isDescending = false
  /// Whether it is known that no sample matches.
  var isEmpty = false

  /// Whether a search by change log position finds fewer compressed segments than a search by start time.
  var isNarrowerByChange: Bool {
    starts == .min ... .max && changes != .min ... .max
  }

  /// Returns whether a compressed segment may contain matching samples, judging by its index entry.
  /// - Parameter end: The end of the segment; `nil` if the index does not contain it.
  func concerns(start: Int64, end: Int64?, firstChange: Int64, lastChange: Int64) -> Bool {
    if let wantedChanges {
      let next = BinarySearch.of(wantedChanges.count) { wantedChanges[$0] < firstChange }
      guard next < wantedChanges.count, wantedChanges[next] <= lastChange else { return false }
    }
    guard let uuids else { return true }
    // In a damaged row, these numbers can have any value.
    let start = min(max(start, 0), .max / 2)
    let last = HourSummary.lastMoment(ofHourOf: start)
    let end = min(max(end ?? last, start), last)
    return uuids.isAny(in: start / 1000...end / 1000)
  }

  /// Returns whether samples of a kind can match the query.
  func concerns(_ kind: BlockKind) -> Bool {
    (type ?? kind.type) == kind.type && provenances?.contains(kind.provenance) != false
  }

  func admits(change: Int64) -> Bool {
    guard changes.contains(change) else { return false }
    guard let wantedChanges else { return true }
    let next = BinarySearch.of(wantedChanges.count) { wantedChanges[$0] < change }
    return next < wantedChanges.count && wantedChanges[next] == change
  }

  mutating func narrow(toChanges list: [Int64]) {
    let list = list.sorted()
    guard let first = list.first, let last = list.last else { return isEmpty = true }
    wantedChanges = list
    narrow(changesFrom: first)
    narrow(changesUpTo: last)
  }

  /// Limits the query to samples with these UUIDs, and thus to their times, because UUIDs of version 8
  /// contain the time of the sample. Segments contain no other UUIDs.
  mutating func narrow(toUUIDs list: [(high: UInt64, low: UInt64)]) {
    let wanted = WantedUUIDs(list)
    guard let milliseconds = wanted.milliseconds else { return isEmpty = true }
    uuids = wanted
    // A sample in a compressed segment starts and ends in the same hour.
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

/// Binary search in a sorted array.
enum BinarySearch {
  /// - Parameter isBefore: Returns whether the element at an index is before the wanted position.
  /// - Returns: The first index for which `isBefore` returns `false`; the count if it always returns `true`.
  static func of(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
