import CEncryptedFiles
import Foundation

/// A secret with which a key slot can be decrypted.
package enum KeySecret: Sendable {
  case passphrase(SecretBytes)
  /// The contents of a key file.
  case keyFile(SecretBytes)
  /// The machine: systemd-creds encrypts with a key in the TPM or in /var/lib/systemd.
  case systemd

  var kind: KeySlot.Kind {
    switch self {
    case .passphrase: .passphrase
    case .keyFile: .keyFile
    case .systemd: .systemd
    }
  }
}

/// A slot of the key file: the data key of a store, encrypted with a key that is computed from one secret.
struct KeySlot: Hashable, Sendable {
  enum Kind: UInt8, Sendable {
    case passphrase = 1
    case keyFile = 2
    case systemd = 3

    /// The name of the kind in the output of commands.
    var name: String {
      switch self {
      case .passphrase: "passphrase"
      case .keyFile: "key-file"
      case .systemd: "systemd-creds"
      }
    }
  }

  /// The scrypt parameter N for new slots. It needs 64 MiB of memory and takes about 0.2 s on a PC.
  static let cost: UInt64 = 1 << 16
  static let saltLength = 32
  static let wrappedLength = ENCRYPTED_DATA_KEY

  var kind: Kind
  /// The name of the slot, chosen by the user and unique in the store.
  var name: String
  /// When the slot was created, in seconds since 1970.
  var created: UInt64
  var salt: [UInt8]
  /// The scrypt parameter N; 0 if the secret is not a passphrase.
  var cost: UInt64
  var nonce: [UInt8]
  var wrapped: [UInt8]
  var tag: [UInt8]
  /// The output of systemd-creds; empty in slots of other kinds.
  var credential: [UInt8]

  /// Creates a slot by encrypting the data key with a secret.
  init(
    _ name: String, _ dataKey: SecretBytes, of store: StoreIdentifier, with secret: KeySecret,
    at time: Date = Date(), cost: UInt64 = KeySlot.cost
  ) throws {
    kind = secret.kind
    self.name = name
    created = UInt64(max(0, time.timeIntervalSince1970))
    salt = try KeyMath.random(Self.saltLength)
    nonce = try KeyMath.random(ENCRYPTED_NONCE)
    wrapped = [UInt8](repeating: 0, count: Self.wrappedLength)
    tag = [UInt8](repeating: 0, count: ENCRYPTED_TAG)
    credential = []
    self.cost = 0
    let key: SecretBytes
    switch secret {
    case .passphrase(let passphrase):
      self.cost = cost
      key = try KeyMath.stretch(passphrase, salt: salt, cost: cost)
    case .keyFile(let contents):
      key = try KeyMath.derive(from: contents, salt: salt, purpose: Self.purpose(.keyFile))
    case .systemd:
      let random = try SecretBytes.random(32)
      credential = try SystemdCredential.encrypt(random)
      key = try KeyMath.derive(from: random, salt: salt, purpose: Self.purpose(.systemd))
    }
    let header = header(of: store)
    guard
      encrypted_seal(
        key.start, nonce, header, header.count, dataKey.start, Self.wrappedLength, &wrapped, &tag)
    else { throw KeyMath.failure }
  }

  /// Decrypts the data key with a secret.
  /// - Returns: The data key; `nil` if the secret is wrong.
  func open(of store: StoreIdentifier, with secret: KeySecret) throws -> SecretBytes? {
    let key: SecretBytes
    switch (secret, kind) {
    case (.passphrase(let passphrase), .passphrase):
      // A damaged or manipulated file must not make the program use up all memory.
      guard cost <= Self.cost << 4, cost.nonzeroBitCount == 1 else { return nil }
      key = try KeyMath.stretch(passphrase, salt: salt, cost: cost)
    case (.keyFile(let contents), .keyFile):
      key = try KeyMath.derive(from: contents, salt: salt, purpose: Self.purpose(.keyFile))
    case (.systemd, .systemd):
      let random = try SystemdCredential.decrypt(credential)
      key = try KeyMath.derive(from: random, salt: salt, purpose: Self.purpose(.systemd))
    default:
      return nil
    }
    let header = header(of: store)
    let dataKey = try SecretBytes(count: Self.wrappedLength)
    let isOpened = encrypted_unseal(
      key.start, nonce, header, header.count, wrapped, wrapped.count, tag, dataKey.start)
    return isOpened ? dataKey : nil
  }

  private static func purpose(_ kind: Kind) -> String { "hrgate store key: \(kind.name)" }

  /// The additional data that the encryption authenticates. It contains the store's ID, so a slot does not
  /// work in another store.
  private func header(of store: StoreIdentifier) -> [UInt8] { store.bytes + [kind.rawValue] + salt }
}

// MARK: - The stored form

extension KeySlot {
  init?(from reader: inout KeyFileReader) {
    guard let kind = reader.byte().flatMap(Kind.init), let name = reader.text(),
      let created = reader.number(), let salt = reader.bytes(Self.saltLength), let cost = reader.number(),
      let nonce = reader.bytes(ENCRYPTED_NONCE),
      let wrapped = reader.bytes(Self.wrappedLength),
      let tag = reader.bytes(ENCRYPTED_TAG), let length = reader.number(),
      let credential = reader.bytes(Int(clamping: length))
    else { return nil }
    (self.kind, self.name, self.created, self.salt, self.cost) = (kind, name, created, salt, cost)
    (self.nonce, self.wrapped, self.tag, self.credential) = (nonce, wrapped, tag, credential)
  }

  var encoded: [UInt8] {
    let name = Array(name.utf8)
    return [kind.rawValue, UInt8(clamping: name.count)] + name + KeyFileReader.encoded(created) + salt
      + KeyFileReader.encoded(cost) + nonce + wrapped + tag
      + KeyFileReader.encoded(UInt64(credential.count)) + credential
  }
}

/// Reads the payload of a key file. All numbers are little-endian.
struct KeyFileReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(Array(bytes)) }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func byte() -> UInt8? { bytes(1)?.first }

  mutating func number() -> UInt64? {
    bytes(8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a string: its length in one byte, then UTF-8.
  mutating func text() -> String? {
    byte().flatMap { bytes(Int($0)) }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  static func encoded(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
