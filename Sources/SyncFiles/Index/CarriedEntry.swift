import Foundation

/// What was last written about a sample.
struct CarriedEntry: Hashable, Sendable {
  enum State: UInt8, Sendable {
    case added = 1
    case deleted = 2
  }

  let uuid: UUID
  let state: State

  /// Of an entry in a file: the UUID and the state.
  static let size = 17

  init(_ uuid: UUID, _ state: State) {
    self.uuid = uuid
    self.state = state
  }

  /// Nil for bytes that are none.
  init?(_ bytes: Data) {
    guard bytes.count == Self.size, let state = State(rawValue: bytes[bytes.endIndex - 1]) else { return nil }
    let uuid = bytes.prefix(16).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
    self.init(UUID(uuid: uuid), state)
  }

  func append(to bytes: inout Data) {
    withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    bytes.append(state.rawValue)
  }
}

/// The FNV-1a hash of 64 bits: finds what a disk lost or changed, not what somebody forged.
func checksum(_ bytes: Data) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

extension Data {
  mutating func append(_ number: UInt64) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// The number at a place from the beginning on.
  func number(at place: Int) -> UInt64 {
    UInt64(littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) })
  }
}
