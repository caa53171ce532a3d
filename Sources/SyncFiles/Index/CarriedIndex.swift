import Foundation

/// Knows of every sample that was ever written into the folder, so that none is written twice.
///
/// A reader may take a file away once it has it: the folder does not tell. What was carried last is in memory
/// and in ledgers; older ledgers are sorted runs, which are merged so that each is more than twice as large
/// as the next. A million samples take 17 MB of disk, and some megabytes of memory for the ledger alone.
struct CarriedIndex {
  private let folder: Folder
  private let ledgerLimit: Int
  private var recent: [UUID: CarriedEntry.State] = [:]
  private var runs: [SortedRun] = []
  private var ledger: Ledger
  /// The ledgers of what is in memory: after a crash there may be two.
  private var ledgers: ClosedRange<UInt64>
  private(set) var segment = Ledger.Segment()
  /// The last page of each destination that writes here, by the id of its marker.
  private var marks: [UUID: UInt64] = [:]

  init(_ folder: Folder, ledgerLimit: Int) throws {
    self.folder = folder
    self.ledgerLimit = ledgerLimit
    let names = try folder.names()
    for name in names where name.hasSuffix(".new") { try folder.remove(name) }
    let found = names.compactMap(Self.runRange)
    for range in found {
      // One that was merged into another is of a crash before it was removed.
      if found.contains(where: {
        $0 != range && $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound
      }) {
        try folder.remove(Self.runName(range))
      } else if let file = try folder.openExisting(Self.runName(range)) {
        runs.append(try SortedRun(file, ledgers: range))
      }
    }
    runs.sort { $0.ledgers.lowerBound < $1.ledgers.lowerBound }
    let sorted = runs.last?.ledgers.upperBound ?? 0
    var numbers: [UInt64] = []
    for number in names.compactMap(Self.ledgerNumber).sorted() {
      if number <= sorted { try folder.remove(Self.ledgerName(number)) } else { numbers.append(number) }
    }
    // A first ledger is made in its place; a later one comes with its first record.
    if numbers.isEmpty, !runs.isEmpty { throw Ledger.Damaged() }
    let first = numbers.first ?? 1
    let last = numbers.last ?? 1
    ledgers = first...last
    ledger = Ledger(try folder.open(Self.ledgerName(last)))
    var contents = Ledger.Contents()
    for number in numbers.dropLast() {
      var older = Ledger(try folder.open(Self.ledgerName(number)))
      try older.read(into: &contents)
    }
    try ledger.read(into: &contents)
    recent = contents.entries
    marks = contents.marks
    segment = contents.segment ?? segment
  }

  /// Returns the last page of the destination that has a marker; nil if it is not here.
  func sequence(of marker: UUID?) -> UInt64? { marker.flatMap { marks[$0] } }

  func state(of uuid: UUID) throws -> CarriedEntry.State? {
    if let state = recent[uuid] { return state }
    for run in runs.reversed() {
      if let state = try run.state(of: uuid) { return state }
    }
    return nil
  }

  /// Commits what was written, durably.
  /// - Parameter mark: of the page, where all of it is written with this.
  mutating func commit(_ segment: Ledger.Segment, _ entries: [CarriedEntry], _ mark: Ledger.Mark? = nil)
    throws
  {
    try ledger.append(segment, entries, mark)
    self.segment = segment
    if let mark { marks[mark.id] = max(marks[mark.id] ?? 0, mark.sequence) }
    for entry in entries { recent[entry.uuid] = entry.state }
    if recent.count >= ledgerLimit { try compact() }
  }

  /// Begins as if nothing had been written, but for the number of the segment: a name that was used is not
  /// used again. Whoever ends in the middle of it remembers some of it, and forgets again.
  mutating func forget() throws {
    let older = ledgers
    let fresh = try beginLedger()
    for number in older { try folder.remove(Self.ledgerName(number)) }
    for run in runs { try folder.remove(Self.runName(run.ledgers)) }
    try folder.sync()
    recent = [:]
    runs = []
    ledger = fresh
    ledgers = (older.upperBound + 1)...(older.upperBound + 1)
  }

  /// Makes the ledger after the last one, which knows the segment and the destinations.
  private func beginLedger() throws -> Ledger {
    let next = ledgers.upperBound + 1
    let new = Self.ledgerName(next) + ".new"
    var fresh = Ledger(try folder.open(new))
    try fresh.append(segment, [], nil)
    for (id, sequence) in marks { try fresh.append(segment, [], Ledger.Mark(id: id, sequence: sequence)) }
    try folder.rename(new, to: Self.ledgerName(next))
    try folder.sync()
    return fresh
  }

  // MARK: - Sorting

  /// Makes a run of what is in memory. At each step, what is on the disk says the same.
  private mutating func compact() throws {
    let next = ledgers.upperBound + 1
    let fresh = try beginLedger()
    var sorted = recent.map { CarriedEntry($0.key, $0.value) }.sorted { $0.uuid.precedes($1.uuid) }[...]
    let run = try write(ledgers) { sorted.popFirst() }
    for number in ledgers { try folder.remove(Self.ledgerName(number)) }
    runs.append(run)
    recent = [:]
    ledger = fresh
    ledgers = next...next
    while runs.count > 1, runs[runs.count - 2].count <= 2 * runs[runs.count - 1].count { try mergeLast() }
  }

  private mutating func mergeLast() throws {
    let older = runs[runs.count - 2]
    let newer = runs[runs.count - 1]
    var left = older.makeReader()
    var right = newer.makeReader()
    var fromOlder = try left.next()
    var fromNewer = try right.next()
    let run = try write(older.ledgers.lowerBound...newer.ledgers.upperBound) {
      guard let old = fromOlder else {
        guard let new = fromNewer else { return nil }
        fromNewer = try right.next()
        return new
      }
      if let new = fromNewer, !old.uuid.precedes(new.uuid) {
        // Of two entries of one sample the newer holds.
        if old.uuid == new.uuid { fromOlder = try left.next() }
        fromNewer = try right.next()
        return new
      }
      fromOlder = try left.next()
      return old
    }
    try folder.remove(Self.runName(older.ledgers))
    try folder.remove(Self.runName(newer.ledgers))
    runs.removeLast(2)
    runs.append(run)
  }

  private func write(
    _ ledgers: ClosedRange<UInt64>, _ next: () throws -> CarriedEntry?
  ) throws -> SortedRun {
    let name = Self.runName(ledgers)
    let file = try folder.open(name + ".new")
    try file.truncate(to: 0)
    try SortedRun.write(file, next)
    try folder.rename(name + ".new", to: name)
    try folder.sync()
    return try SortedRun(file, ledgers: ledgers)
  }

  // MARK: - Names

  private static func ledgerName(_ number: UInt64) -> String { "ledger-\(number)" }
  private static func runName(_ range: ClosedRange<UInt64>) -> String {
    "index-\(range.lowerBound)-\(range.upperBound)"
  }

  private static func ledgerNumber(_ name: String) -> UInt64? {
    name.wholeMatch(of: #/ledger-([0-9]+)/#).flatMap { UInt64($0.1) }
  }

  private static func runRange(_ name: String) -> ClosedRange<UInt64>? {
    guard let match = name.wholeMatch(of: #/index-([0-9]+)-([0-9]+)/#), let first = UInt64(match.1),
      let last = UInt64(match.2), first <= last
    else { return nil }
    return first...last
  }
}
