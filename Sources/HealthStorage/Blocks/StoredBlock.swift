import Foundation
import GRDB
import PackedSamples

/// A decoded compressed segment: the properties shared by all its samples, and their times, values and
/// positions as arrays, sorted by start.
final class StoredBlock {
  /// The columns of the row in the table `block`, without the encoded samples.
  struct Header: Equatable {
    /// The ID of the compressed segment's row in the table `block`.
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
  /// The durations in microseconds; `nil` if all are 0.
  let durations: [Int64]?
  let values: [Double]
  let changes: [Int64]
  /// Whether samples with the same start are in the order of the change log. Query results are in this order.
  let isInOrder: Bool
  /// Whether the monitor's address in the compressed segment differs from the one in the source's bundle
  /// identifier.
  let contradictsSource: Bool
  /// The address of the monitor that measured the samples; `nil` if a program saved them.
  let address: String?
  private let packed: PackedBlock
  private var known: [PackedIdentity]?
  private var monitor: MeasuredIdentity?

  /// - Parameter source: The bundle identifier of the samples' source.
  /// - Throws: `StoredBlockError` if the bytes cannot be decoded, or if the row's columns do not match them,
  ///   because a search would then miss samples.
  convenience init(_ header: Header, _ bytes: [UInt8], source: String) throws(StoredBlockError) {
    try self.init(bytes, source: source) { _ in header }
  }

  /// Decodes a compressed segment without its row. The header, with an ID of 0, is computed from the samples.
  /// - Throws: As `init(_:_:source:)`.
  convenience init(_ bytes: [UInt8], of kind: BlockKind, source: String) throws(StoredBlockError) {
    try self.init(bytes, source: source) { found in
      Header(
        id: 0, kind: kind, start: found.start, end: found.end, firstChange: found.firstChange,
        lastChange: found.lastChange, count: found.count)
    }
  }

  /// Properties of a compressed segment that are stored as columns of its row, and can also be computed from
  /// its samples.
  private typealias Extent = (start: Int64, end: Int64, firstChange: Int64, lastChange: Int64, count: Int)

  /// - Parameter header: Returns the columns of the row. It receives the values that were computed from the
  ///   samples.
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
    // Prefer the address in the compressed segment, because a checksum covers it. Version 1 of the format
    // does not have it.
    address = own ?? MeasuredIdentity.address(ofSource: source)
    monitor = address.map { MeasuredIdentity(monitor: $0) }
    contradictsSource = own.map { MeasuredIdentity.sourcePrefix + $0 != source } ?? false
    // Start with values that are correct for most segments, in which the first and last samples have the
    // lowest and highest change log positions. They are corrected below for other segments.
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
      for position in starts.indices { extent.end = max(extent.end, starts[position] + durations[position]) }
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

  func end(at position: Int) -> Int64 { starts[position] + (durations?[position] ?? 0) }

  /// Returns the encoded UUIDs. They are decoded only when they are needed, because they take most of the
  /// bytes and few queries need them.
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

  /// - Returns: The two halves of the UUID. The first byte of each half is its most significant byte.
  func uuid(at position: Int) throws(StoredBlockError) -> (high: UInt64, low: UInt64) {
    let (identity, end) = (try identities()[position], end(at: position))
    if let words = identity.words(end: end) { return words }
    guard case .derived(let occurrence) = identity,
      let words = monitor?.words(ofHeartRate: values[position], at: end, occurrence: occurrence)
    else { throw .identity }
    return words
  }
}

/// The reason why a compressed segment cannot be read.
enum StoredBlockError: Error, Equatable {
  case bytes(BlockError)
  /// The columns of the row do not match the samples.
  case row
  /// A sample is before 1970, or not in the same hour as the first one.
  case hour
  /// A UUID is encoded in a form that this version does not support, or has to be computed from an address
  /// that is missing.
  case identity
  /// The pages of the file that contain the compressed segment are damaged.
  case file
}

extension StoredBlockError: CustomStringConvertible {
  var description: String {
    switch self {
    case .bytes(let error): "\(error)"
    case .row: "its times, count or positions in the change log differ from those in its row"
    case .hour: "its samples are not from a single hour"
    case .identity: "it stores a UUID in a form that this version does not support"
    case .file: "SQLite reports that the file is damaged there (SQLITE_CORRUPT)"
    }
  }
}

/// An error while reading compressed segments.
enum BlockReadError: Error {
  case sqlite(Int32)
  /// The text names the type and hour of the compressed segment and the reason, for the user.
  case damaged(String)

  static func damaged(type: String, start: Int64, _ error: StoredBlockError) -> BlockReadError {
    .damaged("\(name(type: type, start: start)) cannot be read: \(error)")
  }

  /// Returns the name of a compressed segment in messages.
  static func name(type: String, start: Int64) -> String {
    "the compressed samples of \(type) of \(hour(of: start))"
  }

  /// Returns the name of a series in messages.
  static func name(series type: String, start: Int64) -> String {
    "a series of \(type) of \(hour(of: start))"
  }

  /// Returns the hour of a time as ISO 8601 in UTC, or just the number if it is outside the range of the
  /// calendar.
  static func hour(of start: Int64) -> String {
    // In a damaged row, the number can have any value.
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

  /// The corresponding `StorageError`.
  var storageFailure: StorageError {
    switch self {
    case .sqlite(let code):
      .sqlite(
        code: StorageError.name(of: .init(rawValue: code)), message: "compressed samples cannot be read")
    case .damaged(let text): .damagedBlock(text)
    }
  }
}
