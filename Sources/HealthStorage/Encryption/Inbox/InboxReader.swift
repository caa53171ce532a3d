import CEncryptedFiles
import Foundation

/// Something in an inbox that is not as it was written. Numbers are those of entries, from 1.
package enum InboxFinding: Hashable, Sendable {
  /// The head is damaged.
  case damagedHead
  /// Bytes between entries, or an entry that cannot be opened.
  case damaged(offset: UInt64, count: UInt64)
  /// Entries are missing, or were replaced.
  case missing(ClosedRange<UInt64>)
  /// An entry occurs again.
  case repeated(UInt64)
  /// An entry is not in its place. Its content is read in its place.
  case moved(UInt64)
  /// An entry of another inbox.
  case ofAnotherInbox(UInt64)
  /// The end of the file is the beginning of an entry that is not counted: a write was interrupted.
  case unfinished(count: UInt64)

  /// Whether frames may be missing.
  package var isLoss: Bool { if case .missing = self { true } else { false } }
}

extension InboxFinding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damagedHead: "the head of the inbox is damaged"
    case .damaged(let offset, let count): "\(count) bytes at \(offset) of the inbox are damaged"
    case .missing(let range) where range.count == 1: "entry \(range.lowerBound) of the inbox is missing"
    case .missing(let range):
      "entries \(range.lowerBound) to \(range.upperBound) of the inbox are missing"
    case .repeated(let number): "entry \(number) of the inbox occurs twice"
    case .moved(let number): "entry \(number) of the inbox was moved"
    case .ofAnotherInbox(let number): "entry \(number) of another inbox is in the inbox"
    case .unfinished(let count): "the last write to the inbox was interrupted after \(count) bytes"
    }
  }
}

/// Reads the entries of an inbox in the order in which they were written, wherever they are in the file.
///
/// An entry that was changed cannot be opened. One that was removed, replaced or repeated is noticed by the
/// numbers and digests of its neighbors. Removal of the last entries is noticed by the head, unless it was
/// changed too.
package struct InboxReader {
  package enum Element: Hashable, Sendable {
    case entry(UInt64, [UInt8])
    /// Entries that cannot be read, between two others or at the end.
    case missing(ClosedRange<UInt64>)
  }

  private struct Opened {
    var entry: InboxIndex.Entry
    var body: [UInt8]
  }

  /// The identifier of the inbox.
  package let inbox: [UInt8]
  /// What was found so far. Complete when ``next()`` has returned nil.
  package private(set) var findings: [InboxFinding] = []

  private let file: InboxFile
  private let dataKey: SecretBytes
  private let publicKey: [UInt8]
  /// The number of the last entry by the head; nil if the head is damaged.
  private let counted: UInt64?
  /// The entries that are left, by number, the last one first.
  private var entries: [InboxIndex.Entry] = []
  /// The digests of all entries so far.
  private var seen: Set<[UInt8]> = []
  private var pending: Opened?
  /// The numbers up to this one were returned or reported.
  private var done: UInt64 = 0
  private var lastOffset: UInt64 = 0
  private var agreed: (ephemeral: [UInt8], secret: SecretBytes)?

  /// - Parameter dataKey: The data key of the store. Its second half is the private key.
  init(_ file: InboxFile, of store: StoreIdentifier, _ dataKey: SecretBytes) throws {
    self.file = file
    self.dataKey = dataKey
    var publicKey = [UInt8](repeating: 0, count: 32)
    guard encrypted_public_key(dataKey.start + 32, &publicKey) else { throw KeyMath.failure }
    self.publicKey = publicKey
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
        throw StorageError.encryption("\(file.path) is no inbox, or damaged")
      }
      (inbox, counted) = (head.inbox, nil)
      findings.append(.damagedHead)
    }
    findings += index.damage.map { .damaged(offset: $0.lowerBound, count: $0.upperBound - $0.lowerBound) }
    let size = file.size
    if index.end < size { findings.append(.unfinished(count: size - index.end)) }
    arrange(index.entries)
  }

  /// Sorts the entries of this inbox by number.
  private mutating func arrange(_ found: [InboxIndex.Entry]) {
    guard !found.isEmpty else { return }
    for entry in found {
      let number = entry.header.sequence
      if entry.header.inbox != inbox {
        findings.append(.ofAnotherInbox(number))
      } else if !seen.insert(entry.digest).inserted {
        findings.append(.repeated(number))
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
    guard let current = try pending ?? open() else { return atEnd() }
    pending = current
    let number = current.entry.header.sequence
    if number > done + 1 { return missing(done + 1...number - 1) }
    pending = nil
    // The next entry shows whether this one is what was written.
    while let following = try open() {
      let header = following.entry.header
      if header.sequence == number {
        // Two entries have this number.
        findings.append(.repeated(number))
        continue
      }
      pending = following
      if header.sequence == number + 1, header.previous != current.entry.digest {
        done = number
        return missing(number...number)
      }
      break
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

  /// Opens the next entry that can be opened.
  private mutating func open() throws -> Opened? {
    while let entry = entries.popLast() {
      if let body = try body(of: entry) { return Opened(entry: entry, body: body) }
      findings.append(.damaged(offset: entry.offset, count: entry.end - entry.offset))
      // If its length is wrong, others begin within it.
      arrange(try InboxIndex.entries(in: file, within: entry.offset + 1..<entry.end))
    }
    return nil
  }

  /// - Returns: nil if the entry was changed.
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
