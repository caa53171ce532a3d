import Foundation
import GRDB

/// The file header on the first page of a store (SQLite's file format, §1.3). It is the same in every store
/// except for numbers that can be calculated from the file, so it can be repaired.
///
/// A single flipped bit in it makes SQLite reject the entire file.
struct StoreHeader {
  /// The bytes to read: the 100-byte file header and the start of the page header.
  private static let length = 112
  /// Bytes that have the same value in every store.
  private static let known: [(offset: Int, bytes: [UInt8])] = [
    (0, Array("SQLite format 3\0".utf8)),
    // No reserved space per page; the payload fractions have fixed values.
    (20, [0, 64, 32, 32]),
    // Schema format 4, and UTF-8.
    (44, [0, 0, 0, 4]), (56, [0, 0, 0, 1]), application,
  ]
  private static let application = (
    offset: 68, bytes: withUnsafeBytes(of: SampleDatabase.applicationID.bigEndian) { Array($0) }
  )
  /// The maximum number of wrong bytes; with more, the file is probably not ours. Another program's database
  /// differs only in its application ID.
  private static let mostWrong = 3

  private let path: String
  private let bytes: [UInt8]

  /// Returns nil if the file is shorter than the header or cannot be read.
  init?(of path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.length)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    self.path = path
    self.bytes = bytes
  }

  /// The repaired header if this is a store with a damaged header; nil if the header is valid or the file is
  /// not a store.
  var mended: [UInt8]? {
    guard isStores else { return nil }
    var mended = bytes
    for (offset, wanted) in Self.known {
      mended.replaceSubrange(offset..<offset + wanted.count, with: wanted)
    }
    // Bytes 18 and 19 say whether readers and writers use WAL. For a copy without a log, either value works.
    let isJournalled = access(path + "-wal", F_OK) == 0 || bytes[18] == 2 && bytes[19] == 2
    for offset in [18, 19] where !(bytes[18] == bytes[19] && 1...2 ~= bytes[offset]) {
      mended[offset] = isJournalled ? 2 : 1
    }
    if statedPageSize == nil { mended.replaceSubrange(16..<18, with: [UInt8(usualPageSize >> 8), 0]) }
    let pages = Int(StoreFile.size(at: path)) / pageSize
    // A truncated file has a larger count in its header. An implausibly large count is damage.
    if pageCount < pages || pageCount > max(2 * pages, 1 << 16) {
      write(UInt32(clamping: pages), at: 28, &mended)
    }
    // The root page of the schema is a leaf (13), or an interior page (5) that names its last child (§1.6).
    if ![5, 13].contains(bytes[100]) { mended[100] = 2...max(2, pages) ~= number(at: 108) ? 5 : 13 }
    return mended == bytes ? nil : mended
  }

  /// The page size of earlier versions if it matches the number of pages, otherwise that of new stores.
  private var usualPageSize: Int {
    let earlier = 4096
    return Int64(pageCount) * Int64(earlier) == StoreFile.size(at: path) ? earlier : SampleDatabase.pageSize
  }

  /// In bytes; the usual size if the header's value is invalid.
  var pageSize: Int { statedPageSize ?? usualPageSize }

  /// The page count that the header states.
  var pageCount: Int { number(at: 28) }

  /// A power of two of at least 512; the value 1 means 65,536. One flipped bit cannot turn a valid size into
  /// another.
  private var statedPageSize: Int? {
    let stated = Int(bytes[16]) << 8 | Int(bytes[17])
    guard stated != 1 else { return 65_536 }
    return stated >= 512 && stated.nonzeroBitCount == 1 ? stated : nil
  }

  private var isStores: Bool {
    func wrong(_ place: (offset: Int, bytes: [UInt8])) -> Int {
      place.bytes.indices.count { bytes[place.offset + $0] != place.bytes[$0] }
    }
    return wrong(Self.application) <= 1 && Self.known.map(wrong).reduce(0, +) <= Self.mostWrong
  }

  private func number(at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func write(_ number: UInt32, at offset: Int, _ bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
  }

  /// Repairs the header of a copy of a store, if it is damaged.
  static func mend(_ copy: String) {
    guard let mended = StoreHeader(of: copy)?.mended else { return }
    let descriptor = open(copy, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = pwrite(descriptor, mended, mended.count, 0)
  }

  // MARK: - Errors

  /// Returns the error for a damaged header; nil if the header is valid or the file is not a store.
  static func damage(_ path: String) -> StorageError? {
    StoreHeader(of: path)?.mended.map { _ in .damaged(path: path, "its first page") }
  }

  /// Returns why the file cannot be opened as a store: its header is damaged, or it is something else.
  static func failure(_ path: String, found: Int32) -> StorageError {
    if found == 0, access(KeyFile.path(ofStoreAt: path), F_OK) == 0 {
      // Both copies of the header of an encrypted store are damaged.
      return .unrecognisable(path: path)
    }
    return damage(path) ?? .notASampleDatabase(path: path, found: found)
  }

  /// Runs `work`. If SQLite rejects the file format, throws the specific reason.
  static func telling<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      // An interrupted transaction has left its journal, which a connection that only reads cannot apply.
      try DatabaseQueue(path: path).read { database in
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      }
      return try work()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw failure(path, found: 0)
    } catch let error as DatabaseError where error.message == "unsupported file format" {
      throw damage(path) ?? error
    }
  }
}
