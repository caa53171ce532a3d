import CEncryptedFiles
import Foundation

/// A sign of damage or manipulation in an inbox. Entries are identified by their numbers, which start at 1.
package enum InboxFinding: Hashable, Sendable {
  /// The head of the file is damaged.
  case damagedHead
  /// Bytes that are not a valid entry, or an entry that cannot be decrypted.
  case damaged(offset: UInt64, count: UInt64)
  /// Entries are missing, or were replaced.
  case missing(ClosedRange<UInt64>)
  /// The file contains more than one entry with this number.
  case repeated(UInt64)
  /// An entry is at the wrong position in the file. It is still read in the order of its number.
  case moved(UInt64)
  /// The file contains an entry of another inbox, which is skipped.
  case ofAnotherInbox(UInt64)
  /// The file ends with `count` bytes of an incomplete entry, because a write was interrupted.
  case unfinished(count: UInt64)

  /// Whether recorded measurements may be missing.
  package var isLoss: Bool { if case .missing = self { true } else { false } }
}

extension InboxFinding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damagedHead: "the head of the inbox is damaged"
    case .damaged(let offset, let count): "\(count) bytes at \(offset) of the inbox are damaged"
    case .missing(let range) where range.lowerBound == range.upperBound:
      "entry \(range.lowerBound) of the inbox is missing"
    case .missing(let range):
      "entries \(range.lowerBound) to \(range.upperBound) of the inbox are missing"
    case .repeated(let number): "entry \(number) of the inbox occurs twice"
    case .moved(let number): "entry \(number) of the inbox was moved"
    case .ofAnotherInbox(let number): "entry \(number) of another inbox is in the inbox"
    case .unfinished(let count): "the last write to the inbox was interrupted after \(count) bytes"
    }
  }
}

/// Reads the entries of an inbox in the order of their numbers, regardless of their positions in the file.
///
/// An entry that was changed cannot be decrypted. If an entry was removed, replaced or repeated, the numbers
/// and digests of the neighboring entries show it. If the last entries were removed, the head shows it,
/// unless the head was changed too.
package struct InboxReader {
  package enum Element: Hashable, Sendable {
    case entry(UInt64, [UInt8])
    /// The numbers of consecutive entries that are missing or cannot be read.
    case missing(ClosedRange<UInt64>)
  }

  private struct Opened {
    var entry: InboxIndex.Entry
    var body: [UInt8]
  }

  /// The identifier of the inbox.
  package let inbox: [UInt8]
  /// The damage found so far. The list is complete when ``next()`` has returned `nil`.
  package private(set) var findings: [InboxFinding] = []

  private let file: InboxFile
  private let dataKey: SecretBytes
  private let publicKey: [UInt8]
  /// The number of the last entry according to the head; `nil` if the head is damaged.
  private let counted: UInt64?
  /// The entries that are still to be read, sorted by number in descending order.
  private var entries: [InboxIndex.Entry] = []
  /// The offsets of all entries found so far. An entry within several damaged ones is found again for each.
  private var arranged: Set<UInt64> = []
  private var pending: Opened?
  /// All entries up to this number were returned, or reported as missing.
  private var done: UInt64 = 0
  private var lastOffset: UInt64 = 0
  private var agreed: (ephemeral: [UInt8], secret: SecretBytes)?

  /// - Parameter dataKey: The data key of the store. Its second half is the private key of the inbox.
  init(_ file: InboxFile, of store: StoreIdentifier, _ dataKey: SecretBytes) throws {
    self.file = file
    self.dataKey = dataKey
    publicKey = try KeyMath.publicKey(ofDataKey: dataKey)
    let index = try InboxIndex(file)
    switch InboxWriter.head(of: file) {
    case .success(let head):
      guard head.store == store else {
        throw StorageError.encryption("\(file.path) is the inbox of another store")
      }
      (inbox, counted) = (head.inbox, head.lastSequence)
    case .failure(.unknownVersion(let version)):
      throw StorageError.encryption(
        "\(file.path) was written by a newer version (inbox \(version)); update this program to read it")
    case .failure(.damaged):
      guard let head = try InboxWriter.restored(store, file) else {
        throw StorageError.encryption("\(file.path) is damaged, or is not the inbox of a store")
      }
      (inbox, counted) = (head.inbox, nil)
      findings.append(.damagedHead)
    }
    findings += index.damage.map { .damaged(offset: $0.lowerBound, count: $0.upperBound - $0.lowerBound) }
    let size = file.size
    if index.end < size { findings.append(.unfinished(count: size - index.end)) }
    arrange(index.entries)
  }

  /// Adds entries found in the file to ``entries``, sorted by number. Entries of other inboxes are reported
  /// and left out.
  private mutating func arrange(_ found: [InboxIndex.Entry]) {
    guard !found.isEmpty else { return }
    for entry in found where arranged.insert(entry.offset).inserted {
      let number = entry.header.sequence
      if entry.header.inbox != inbox {
        findings.append(.ofAnotherInbox(number))
      } else {
        entries.append(entry)
      }
    }
    entries.sort {
      ($1.header.sequence, $1.offset) < ($0.header.sequence, $0.offset)
    }
  }

  /// Returns the next entry, or the numbers of entries that are missing before it; nil at the end.
  /// - Throws: `StorageError` if the file cannot be read.
  package mutating func next() throws -> Element? {
    guard let current = try pending ?? open(after: done) else { return atEnd() }
    pending = current
    let number = current.entry.header.sequence
    if number > done + 1 { return missing(done + 1...number - 1) }
    pending = nil
    // The next entry contains the digest of this one, which shows whether this entry was replaced.
    if let following = try open(after: number) {
      pending = following
      let header = following.entry.header
      if header.sequence == number + 1, header.previous != current.entry.digest {
        done = number
        return missing(number...number)
      }
    }
    done = number
    if current.entry.offset < lastOffset { findings.append(.moved(number)) }
    lastOffset = current.entry.offset
    return .entry(number, current.body)
  }

  private mutating func atEnd() -> Element? {
    guard let counted, counted > done else { return nil }
    return missing(done + 1...counted)
  }

  private mutating func missing(_ range: ClosedRange<UInt64>) -> Element {
    findings.append(.missing(range))
    done = max(done, range.upperBound)
    return .missing(range)
  }

  /// Returns the next entry that can be decrypted and has a number above `number`. Reports the damaged and
  /// repeated entries before it. Lower numbers are those of entries within damaged ones.
  private mutating func open(after number: UInt64) throws -> Opened? {
    while let entry = entries.popLast() {
      guard let body = try body(of: entry) else {
        findings.append(.damaged(offset: entry.offset, count: entry.end - entry.offset))
        // If the length in the damaged header is wrong, other entries may begin within these bytes.
        arrange(try InboxIndex.entries(in: file, within: entry.offset + 1..<entry.end))
        continue
      }
      guard entry.header.sequence <= number else { return Opened(entry: entry, body: body) }
      findings.append(.repeated(entry.header.sequence))
    }
    return nil
  }

  /// Decrypts the body of an entry.
  /// - Returns: `nil` if the entry was changed.
  private mutating func body(of entry: InboxIndex.Entry) throws -> [UInt8]? {
    let bytes = try file.bytes(at: entry.offset, count: entry.header.entryLength)
    guard bytes.count == entry.header.entryLength, let secret = try secret(with: entry.header.ephemeral)
    else { return nil }
    let salt = InboxFormat.salt(entry.header.ephemeral, publicKey, entry.header.sequence)
    let key = try KeyMath.derive(from: secret, salt: salt, purpose: InboxFormat.purpose)
    var body = [UInt8](repeating: 0, count: entry.header.length)
    let isOpened = bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      let sealed = start + InboxFormat.headerLength
      return encrypted_unseal(
        key.start, InboxFormat.nonce, start, InboxFormat.headerLength, sealed, body.count,
        sealed + body.count, &body)
    }
    return isOpened ? body : nil
  }

  private mutating func secret(with ephemeral: [UInt8]) throws -> SecretBytes? {
    if let agreed, agreed.ephemeral == ephemeral { return agreed.secret }
    let secret = try SecretBytes(count: 32)
    guard encrypted_exchange(dataKey.start + 32, ephemeral, secret.start) else { return nil }
    agreed = (ephemeral, secret)
    return secret
  }
}
