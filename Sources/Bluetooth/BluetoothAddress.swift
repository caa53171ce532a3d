/// A Bluetooth device address: 48 bits and a type.
///
/// Two addresses with the same bits but different types are different devices (Core Specification, Vol 6,
/// Part B, §1.3).
public struct BluetoothAddress: Hashable, Sendable {
  /// The type of an address: how its bits were assigned. A controller reports it with each address.
  public enum Kind: UInt8, Sendable, CaseIterable {
    case publicDevice = 0
    case random = 1
  }

  /// The address as a number. Its most significant byte (bits 40–47) is the first byte of the text form.
  public let bits: UInt64
  public let kind: Kind

  /// - Parameter bits: Only the low 48 bits are used.
  public init(bits: UInt64, kind: Kind) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Decodes the six bytes of an address in the order of HCI and the link layer: least significant byte
  /// first.
  ///
  /// - Returns: `nil` if fewer than six bytes follow `offset`.
  public init?(littleEndian bytes: RawSpan, at offset: Int, kind: Kind) {
    guard let low = bytes.uint32LE(at: offset), let high = bytes.uint16LE(at: offset + 4) else { return nil }
    self.init(bits: UInt64(high) << 32 | UInt64(low), kind: kind)
  }

  /// Parses `AA:BB:CC:DD:EE:FF` in upper or lower case.
  public init?(_ text: String, kind: Kind) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var bits: UInt64 = 0
    for part in parts {
      guard part.utf8.count == 2, part.utf8.allSatisfy(\.isHexadecimalDigit),
        let value = UInt8(part, radix: 16)
      else { return nil }
      bits = bits << 8 | UInt64(value)
    }
    self.init(bits: bits, kind: kind)
  }

  /// What an address identifies, and for how long (Core Specification, Vol 6, Part B, §1.3).
  public enum Subtype: Sendable, CaseIterable {
    /// Assigned by the manufacturer. Never changes.
    case publicDevice
    /// A random address that does not change, at least until the device is switched off (§1.3.2.1).
    case staticDevice
    /// An address that changes over time. Only bonded devices can determine whose it is (§1.3.2.2).
    case resolvablePrivate
    /// An address that changes over time. No device can determine whose it is (§1.3.2.2).
    case nonResolvablePrivate
  }

  /// The subtype of the address; `nil` if it is reserved. For a random address, the two top bits determine
  /// it.
  public var subtype: Subtype? {
    guard kind == .random else { return .publicDevice }
    switch bits >> 46 {
    case 0b11: return .staticDevice
    case 0b01: return .resolvablePrivate
    case 0b00: return .nonResolvablePrivate
    default: return nil
    }
  }

  /// Whether the address changes over time, so that it does not identify a device for long.
  public var isPrivate: Bool { subtype == .resolvablePrivate || subtype == .nonResolvablePrivate }
}

extension BluetoothAddress: CustomStringConvertible {
  /// The address as `AA:BB:CC:DD:EE:FF`.
  public var description: String {
    // Addresses are formatted often, one per monitor each time the store is written. So avoid intermediate
    // strings.
    String(unsafeUninitializedCapacity: 17) { text in
      for place in 0..<17 {
        let digit = UInt8(truncatingIfNeeded: bits >> UInt64(44 - 4 * (place - place / 3))) & 0x0F
        text[place] =
          place % 3 == 2
          ? UInt8(ascii: ":") : digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") - 10 + digit
      }
      return 17
    }
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
