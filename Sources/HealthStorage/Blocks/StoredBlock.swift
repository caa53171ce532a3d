import Foundation
import GRDB
import PackedSamples

/// A decoded segment: what its samples share, and their columns in order of start.
final class StoredBlock {
  /// The columns of the segment's row, without the bytes.
  struct Header: Equatable {
    /// `block.id`.
    var id: Int64
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
  /// Whether samples with the same start are in the order of the change log, as query results are.
  let isInOrder: Bool
  /// Whether the monitor's address in the segment is not that of its source.
  let contradictsSource: Bool
  /// The address of the monitor that measured the samples, or nil if a program saved them.
  let address: String?
  private let packed: PackedBlock
  private var known: [PackedIdentity]?
  private var monitor: MeasuredIdentity?

  /// - Parameter source: The bundle identifier of the samples' source.
  /// - Throws: `StoredBlockError` if the bytes are no segment, or if the row contradicts them: a search of
  ///   rows would miss the samples.
  convenience init(_ header: Header, _ bytes: [UInt8], source: String) throws(StoredBlockError) {
    try self.init(bytes, source: source) { _ in header }
  }

  /// Decodes bytes without a row. The header, whose id is 0, is computed from the samples.
  /// - Throws: As `init(_:_:source:)`.
  convenience init(_ bytes: [UInt8], of kind: BlockKind, source: String) throws(StoredBlockError) {
    try self.init(bytes, source: source) { found in
      Header(
        id: 0, kind: kind, start: found.start, end: found.end, firstChange: found.firstChange,
        lastChange: found.lastChange, count: found.count)
    }
  }

  /// The values of the row's columns that follow from the samples.
  private typealias Extent = (start: Int64, end: Int64, firstChange: Int64, lastChange: Int64, count: Int)

  /// - Parameter header: Returns the row's columns, given those that follow from the samples.
  private init(
    _ bytes: [UInt8], source: String, header: (Extent) -> Header
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
    // The segment's own address is covered by its checksum. Version 1 of the format has none.
    address = own ?? MeasuredIdentity.address(ofSource: source)
    monitor = address.map { MeasuredIdentity(monitor: $0) }
    contradictsSource = own.map { MeasuredIdentity.sourcePrefix + $0 != source } ?? false
    // A segment has at least one sample, and most samples were stored in order of time.
    let last = starts.count - 1
    var extent: Extent = (starts[0], starts[last], changes[0], changes[last], starts.count)
    let ascends = changes.ascends
    if !ascends {
      for change in changes {
        extent.firstChange = min(extent.firstChange, change)
        extent.lastChange = max(extent.lastChange, change)
      }
    }
    isInOrder = ascends || Self.areInOrder(starts, changes)
    if let durations {
      for place in starts.indices { extent.end = max(extent.end, starts[place] + durations[place]) }
    }
    let header = header(extent)
    self.header = header
    guard
      (header.start, header.end, header.firstChange, header.lastChange, header.count)
        == (extent.start, extent.end, extent.firstChange, extent.lastChange, extent.count)
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

  /// Returns the identities. They are decoded when they are first needed, because they are most of the bytes
  /// and few queries need them.
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

  /// - Returns: The UUID's two halves, with the first byte as the most significant.
  func uuid(at place: Int) throws(StoredBlockError) -> (high: UInt64, low: UInt64) {
    let (identity, end) = (try identities()[place], end(at: place))
    if let words = identity.words(end: end) { return words }
    guard case .derived(let occurrence) = identity,
      let words = monitor?.words(ofHeartRate: values[place], at: end, occurrence: occurrence)
    else { throw .identity }
    return words
  }
}

/// Why a segment cannot be read.
enum StoredBlockError: Error, Equatable {
  case bytes(BlockError)
  /// The row contradicts the samples.
  case row
  /// A sample is in another hour than the first one, or before 1970.
  case hour
  /// A UUID is encoded in a way that this version does not support, or derived from a missing address.
  case identity
  /// The pages of the file that hold the segment are damaged.
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

/// Why segments cannot be read.
enum BlockReadError: Error {
  case sqlite(Int32)
  /// A text that names the segment by its type and hour, with the reason.
  case damaged(String)

  static func damaged(type: String, start: Int64, _ flaw: StoredBlockError) -> BlockReadError {
    .damaged("\(name(type: type, start: start)) cannot be read: \(flaw)")
  }

  /// The name of a segment in messages.
  static func name(type: String, start: Int64) -> String { "the block of \(type) of \(hour(of: start))" }

  /// The name of a series in messages.
  static func name(series type: String, start: Int64) -> String {
    "a series of \(type) of \(hour(of: start))"
  }

  /// Returns an hour of UTC in ISO 8601, or the number for a time that no calendar has.
  static func hour(of start: Int64) -> String {
    // A damaged row can contain any number.
    guard (0..<253_402_300_800_000_000).contains(start) else { return "\(start) µs" }
    return Date(timeIntervalSince1970: Double(HourSummary.start(of: start)) / 1e6).formatted(.iso8601)
  }

  /// SQLite's result code.
  var code: Int32 {
    switch self {
    case .sqlite(let code): code
    case .damaged: ResultCode.SQLITE_CORRUPT.rawValue
    }
  }

  /// The same as an error of the store.
  var storageFailure: StorageError {
    switch self {
    case .sqlite(let code):
      .sqlite(code: StorageError.name(of: .init(rawValue: code)), message: "a block cannot be read")
    case .damaged(let text): .damagedBlock(text)
    }
  }
}
