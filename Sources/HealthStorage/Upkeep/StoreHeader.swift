import Foundation
import GRDB

/// The header of a store's database file (SQLite's file format, §1.3), and its repair. Apart from numbers
/// that can be computed from the file, it is the same in every store, so it can be repaired.
///
/// If a single bit of it is wrong, SQLite may reject the whole file.
struct StoreHeader {
  /// The number of bytes to read: the file header of 100 bytes and the start of the first page header.
  private static let length = 112
  /// The bytes that are the same in every store.
  private static let known: [(offset: Int, bytes: [UInt8])] = [
    (0, Array("SQLite format 3\0".utf8)),
    // The number of reserved bytes per page, and the payload fractions, which are constant.
    (20, [0, 64, 32, 32]),
    // The schema format is 4, the text encoding UTF-8.
    (44, [0, 0, 0, 4]), (56, [0, 0, 0, 1]), application,
  ]
  private static let application = (
    offset: 68, bytes: withUnsafeBytes(of: SampleDatabase.applicationID.bigEndian) { Array($0) }
  )
  /// Maximum number of wrong bytes. With more, the file is probably not a store. The database of another
  /// program may differ only in its application ID, which has four bytes.
  private static let mostWrong = 3

  private let path: String
  private let bytes: [UInt8]

  /// Returns `nil` if the file is shorter than the header or cannot be read.
  init?(of path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.length)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    self.path = path
    self.bytes = bytes
  }

  /// The repaired header; `nil` if the header is valid or the file is not a store.
  var mended: [UInt8]? {
    guard isStores else { return nil }
    var mended = bytes
    for (offset, wanted) in Self.known {
      mended.replaceSubrange(offset..<offset + wanted.count, with: wanted)
    }
    // Bytes 18 and 19 say whether the file is in WAL mode. If there is no log, both values work.
    let isJournalled = access(path + "-wal", F_OK) == 0 || bytes[18] == 2 && bytes[19] == 2
    for offset in [18, 19] where !(bytes[18] == bytes[19] && 1...2 ~= bytes[offset]) {
      mended[offset] = isJournalled ? 2 : 1
    }
    if statedPageSize == nil { mended.replaceSubrange(16..<18, with: [UInt8(usualPageSize >> 8), 0]) }
    let pages = Int(StoreFile.size(at: path)) / pageSize
    // The page count in the header exceeds the file size if the file was truncated. If it is much larger, it
    // is damaged.
    if pageCount < pages || pageCount > max(2 * pages, 1 << 16) {
      write(UInt32(clamping: pages), at: 28, &mended)
    }
    // The root page of the schema is either a leaf page (13), or an interior page (5), which contains the
    // number of its rightmost child (§1.6).
    if ![5, 13].contains(bytes[100]) { mended[100] = 2...max(2, pages) ~= number(at: 108) ? 5 : 13 }
    return mended == bytes ? nil : mended
  }

  /// The page size of earlier versions (4,096) if the page count then matches the file; otherwise the page
  /// size of new stores.
  private var usualPageSize: Int {
    let earlier = 4096
    return Int64(pageCount) * Int64(earlier) == StoreFile.size(at: path) ? earlier : SampleDatabase.pageSize
  }

  /// The page size in bytes; ``usualPageSize`` if the one in the header is invalid.
  var pageSize: Int { statedPageSize ?? usualPageSize }

  /// The number of pages according to the header.
  var pageCount: Int { number(at: 28) }

  /// The page size according to the header; `nil` if it is invalid. Valid sizes are powers of two from 512
  /// on; the value 1 means 65,536. A single wrong bit never turns a valid size into another valid one.
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

  /// Repairs the header of a copy of a store if it is damaged.
  static func mend(_ copy: String) {
    guard let mended = StoreHeader(of: copy)?.mended else { return }
    let descriptor = open(copy, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = pwrite(descriptor, mended, mended.count, 0)
  }

  // MARK: - Errors

  /// Returns an error if the header is damaged; `nil` if it is valid or the file is not a store.
  static func damage(_ path: String) -> StorageError? {
    StoreHeader(of: path)?.mended.map { _ in .damaged(path: path, "its first page") }
  }

  /// Returns why the file cannot be opened as a store: its header is damaged, or it is another kind of file.
  static func failure(_ path: String, found: Int32) -> StorageError {
    if found == 0, access(KeyFile.path(ofStoreAt: path), F_OK) == 0 {
      // There is a key file, so this is an encrypted store with both copies of its header damaged.
      return .unrecognisable(path: path)
    }
    return damage(path) ?? .notASampleDatabase(path: path, found: found)
  }

  /// Calls `work`. If SQLite rejects the file format, throws a more specific error.
  static func explainingErrors<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      // An interrupted transaction left a rollback journal. A read-only connection cannot apply it, so apply
      // it here.
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
