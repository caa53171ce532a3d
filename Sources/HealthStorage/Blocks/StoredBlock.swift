import Foundation
import GRDB
import PackedSamples

/// A block as it is stored: what its samples share, and their columns in order of start.
final class StoredBlock {
  /// What stands in the row beside the bytes.
  struct Header: Equatable {
    var place: BlockPlace
    var kind: BlockKind
    var start: Int64
    var end: Int64
    var firstChange: Int64
    var lastChange: Int64
    var count: Int
  }

  let header: Header
  let starts: [Int64]
  /// nil if every sample is an instant.
  let durations: [Int64]?
  let values: [Double]
  let changes: [Int64]
  /// Whether of samples with one start each has a later place in the change log than the one before it, as
  /// all answers have them.
  let isInOrder: Bool
  /// Whether the block says that its samples are another monitor's than its source does.
  let contradictsSource: Bool
  /// Of whom the samples are; nil where a program stored them.
  let address: String?
  private let packed: PackedBlock
  private var known: [PackedIdentity]?
  private var monitor: MeasuredIdentity?

  /// - Parameter source: the bundle identifier of the samples' source.
  /// - Throws: for bytes that are no block, and for a row that says otherwise than they do: whoever searches
  ///   rows would pass over the samples.
  convenience init(_ header: Header, _ bytes: [UInt8], source: String) throws(StoredBlockError) {
    try self.init(bytes, source: source) { _ in header }
  }

  /// - Throws: as `init(_:_:source:)`.
  convenience init(
    _ part: PackedBatch.Part, at place: BlockPlace, source: String
  ) throws(StoredBlockError) {
    try self.init(part.block, source: source) { found in
      Header(
        place: place, kind: BlockKind(part), start: found.start, end: found.end,
        firstChange: found.firstChange, lastChange: found.lastChange, count: found.count)
    }
  }

  /// What a block's row says of its samples.
  private typealias Told = (start: Int64, end: Int64, firstChange: Int64, lastChange: Int64, count: Int)

  /// - Parameter header: says what stands in the row, by what is so.
  private init(
    _ bytes: [UInt8], source: String, header: (Told) -> Header
  ) throws(StoredBlockError) {
    let own: String?
    do {
      packed = try PackedBlock(bytes)
      starts = try packed.starts()
      durations = try packed.durations(from: starts)
      values = try packed.values()
      changes = try packed.changes()
      own = try packed.monitor()
    } catch {
      throw .bytes(error)
    }
    // By what the checksum covers, as far as the block has it.
    address = own ?? MeasuredIdentity.address(ofSource: source)
    monitor = address.map { MeasuredIdentity(monitor: $0) }
    contradictsSource = own.map { MeasuredIdentity.sourcePrefix + $0 != source } ?? false
    // A block has a sample at least. Most of a block came in order of time.
    let last = starts.count - 1
    var told: Told = (starts[0], starts[last], changes[0], changes[last], starts.count)
    let ascends = changes.ascends
    if !ascends {
      for change in changes {
        told.firstChange = min(told.firstChange, change)
        told.lastChange = max(told.lastChange, change)
      }
    }
    isInOrder = ascends || Self.areInOrder(starts, changes)
    if let durations {
      for place in starts.indices { told.end = max(told.end, starts[place] + durations[place]) }
    }
    let header = header(told)
    self.header = header
    guard
      (header.start, header.end, header.firstChange, header.lastChange, header.count)
        == (told.start, told.end, told.firstChange, told.lastChange, told.count)
    else { throw .row }
    guard header.start >= 0, HourSummary.start(of: header.start) == HourSummary.start(of: header.end) else {
      throw .hour
    }
  }

  private static func areInOrder(_ starts: [Int64], _ changes: [Int64]) -> Bool {
    starts.indices.dropFirst().allSatisfy {
      starts[$0] > starts[$0 - 1] || changes[$0] > changes[$0 - 1]
    }
  }

  var count: Int { starts.count }

  func end(at place: Int) -> Int64 { starts[place] + (durations?[place] ?? 0) }

  /// Decoded when they are first wanted: they are most of the bytes, and few questions are about them.
  func identities() throws(StoredBlockError) -> [PackedIdentity] {
    if let known { return known }
    do {
      let identities = try packed.identities()
      known = identities
      return identities
    } catch {
      throw .bytes(error)
    }
  }

  /// - Returns: the UUID's two halves, the first byte as the most significant.
  func uuid(at place: Int) throws(StoredBlockError) -> (high: UInt64, low: UInt64) {
    let (identity, end) = (try identities()[place], end(at: place))
    if let words = identity.words(end: end) { return words }
    guard case .derived(let occurrence) = identity,
      let words = monitor?.words(ofHeartRate: values[place], at: end, occurrence: occurrence)
    else { throw .identity }
    return words
  }
}

/// Why a block cannot be told.
enum StoredBlockError: Error, Equatable {
  case bytes(BlockError)
  /// The row says otherwise than the samples.
  case row
  /// A sample lies in another hour than the first one, or before 1970.
  case hour
  /// A UUID is kept in a way that this version does not know, or follows from a monitor that there is not.
  case identity
  /// The pages of the file on which it lies.
  case file
}

extension StoredBlockError: CustomStringConvertible {
  var description: String {
    switch self {
    case .bytes(let flaw): "\(flaw)"
    case .row: "what its row says of its samples is not so"
    case .hour: "its samples are not of one hour"
    case .identity: "it keeps a UUID in a way that this version does not know"
    case .file: "the file is damaged where it lies (SQLITE_CORRUPT)"
    }
  }
}

/// Why a question about blocks has no answer.
enum BlockReadError: Error {
  case sqlite(Int32)
  /// Which block: by its type and hour.
  case damaged(String)

  static func damaged(type: String, start: Int64, _ flaw: StoredBlockError) -> BlockReadError {
    .damaged("\(name(type: type, start: start)) cannot be read: \(flaw)")
  }

  static func damaged(batchFrom start: Int64, _ flaw: StoredBlockError) -> BlockReadError {
    .damaged("\(name(batchesFrom: start)) cannot be read: \(flaw)")
  }

  /// What a person calls what was committed in an hour and is no block yet.
  static func name(batchesFrom start: Int64) -> String { "what was stored together in \(hour(of: start))" }

  /// What a person calls a block.
  static func name(type: String, start: Int64) -> String { "the block of \(type) of \(hour(of: start))" }

  /// A series that is a row.
  static func name(series type: String, start: Int64) -> String {
    "a series of \(type) of \(hour(of: start))"
  }

  /// An hour of UTC in ISO 8601; of a time that no calendar has, its number.
  static func hour(of start: Int64) -> String {
    // Of a damaged row: no calendar has it.
    guard (0..<253_402_300_800_000_000).contains(start) else { return "\(start) µs" }
    return Date(timeIntervalSince1970: Double(HourSummary.start(of: start)) / 1e6).formatted(.iso8601)
  }

  /// SQLite's.
  var code: Int32 {
    switch self {
    case .sqlite(let code): code
    case .damaged: ResultCode.SQLITE_CORRUPT.rawValue
    }
  }

  /// As the failures of storage have it.
  var storageFailure: StorageError {
    switch self {
    case .sqlite(let code):
      .sqlite(code: StorageError.name(of: .init(rawValue: code)), message: "a block cannot be read")
    case .damaged(let text): .damagedBlock(text)
    }
  }
}
