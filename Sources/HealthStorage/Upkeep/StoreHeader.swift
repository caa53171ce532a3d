import Foundation
import GRDB

/// What the first page of a store says before the schema (SQLite's file format, §1.3): the same in each of
/// ours, but for numbers that follow from the file.
///
/// One flipped bit in it, and SQLite takes the file for none of its own.
struct StoreHeader {
  /// As far as it is read: with the beginning of the page's own header.
  private static let length = 112
  /// At which offset which octets are, whatever is stored.
  private static let known: [(offset: Int, octets: [UInt8])] = [
    (0, Array("SQLite format 3\0".utf8)),
    // No room is reserved on a page, and the fractions of it are fixed.
    (20, [0, 64, 32, 32]),
    // The schema's format, and UTF-8.
    (44, [0, 0, 0, 4]), (56, [0, 0, 0, 1]), application,
  ]
  private static let application = (
    offset: 68, octets: withUnsafeBytes(of: SampleDatabase.applicationID.bigEndian) { Array($0) }
  )
  /// With more wrong it is no flipped bit, and may be anybody's file. Another program's database differs in
  /// its application ID alone.
  private static let mostWrong = 3

  private let path: String
  private let octets: [UInt8]

  /// nil for what is shorter, and what cannot be read.
  init?(of path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: Self.length)
    guard pread(descriptor, &octets, octets.count, 0) == octets.count else { return nil }
    self.path = path
    self.octets = octets
  }

  /// The header as it was, where it is a store's and damaged; nil for one that is sound, and for what is no
  /// store's.
  var mended: [UInt8]? {
    guard isStores else { return nil }
    var mended = octets
    for (offset, wanted) in Self.known {
      mended.replaceSubrange(offset..<offset + wanted.count, with: wanted)
    }
    // Write-ahead log or none, for readers and writers alike; a copy without a log may be read as either.
    let isJournalled = access(path + "-wal", F_OK) == 0 || octets[18] == 2 && octets[19] == 2
    for offset in [18, 19] where !(octets[18] == octets[19] && 1...2 ~= octets[offset]) {
      mended[offset] = isJournalled ? 2 : 1
    }
    if statedPageSize == nil { mended.replaceSubrange(16..<18, with: [UInt8(usualPageSize >> 8), 0]) }
    let pages = Int(StoreFile.size(at: path)) / pageSize
    // A file that was cut has more in its header, but not so much more that no disk could hold it.
    if pageCount < pages || pageCount > max(2 * pages, 1 << 16) {
      write(UInt32(clamping: pages), at: 28, &mended)
    }
    // The schema's page is a leaf, or one above others, the last of which it names (§1.6).
    if ![5, 13].contains(octets[100]) { mended[100] = 2...max(2, pages) ~= number(at: 108) ? 5 : 13 }
    return mended == octets ? nil : mended
  }

  /// The page size of earlier versions if it matches the number of pages, otherwise that of new stores.
  private var usualPageSize: Int {
    let earlier = 4096
    return Int64(pageCount) * Int64(earlier) == StoreFile.size(at: path) ? earlier : SampleDatabase.pageSize
  }

  /// In bytes; the usual one if the header's is invalid.
  var pageSize: Int { statedPageSize ?? usualPageSize }

  /// How many pages the header says there are.
  var pageCount: Int { number(at: 28) }

  /// A power of two from 512 on; 65,536 is a 1. One flipped bit makes none of it another.
  private var statedPageSize: Int? {
    let stated = Int(octets[16]) << 8 | Int(octets[17])
    guard stated != 1 else { return 65_536 }
    return stated >= 512 && stated.nonzeroBitCount == 1 ? stated : nil
  }

  private var isStores: Bool {
    func wrong(_ place: (offset: Int, octets: [UInt8])) -> Int {
      place.octets.indices.count { octets[place.offset + $0] != place.octets[$0] }
    }
    return wrong(Self.application) <= 1 && Self.known.map(wrong).reduce(0, +) <= Self.mostWrong
  }

  private func number(at offset: Int) -> Int {
    octets[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func write(_ number: UInt32, at offset: Int, _ octets: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { octets.replaceSubrange(offset..<offset + 4, with: $0) }
  }

  /// Puts the header that was in the place of the damaged one, in a copy.
  static func mend(_ copy: String) {
    guard let mended = StoreHeader(of: copy)?.mended else { return }
    let descriptor = open(copy, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = pwrite(descriptor, mended, mended.count, 0)
  }

  // MARK: - What is told

  /// nil where the header is sound, or the file is no store.
  static func damage(_ path: String) -> StorageFailure? {
    StoreHeader(of: path)?.mended.map { _ in .damaged(path: path, "its first page") }
  }

  /// Why a file is no store: its header is damaged, or it is another thing.
  static func failure(_ path: String, found: Int32) -> StorageFailure {
    damage(path) ?? .notASampleDatabase(path: path, found: found)
  }

  /// Does the work; where SQLite takes the file for none that it can read, it is told why.
  static func telling<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
    do {
      return try work()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw failure(path, found: 0)
    } catch let error as DatabaseError where error.message == "unsupported file format" {
      throw damage(path) ?? error
    }
  }
}
