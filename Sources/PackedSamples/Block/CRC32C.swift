/// CRC-32C (RFC 3720, appendix B.4). It detects all errors of one to three bits in a block.
///
/// It processes eight bytes per step with eight tables.
enum CRC32C {
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Table number `n` starts at index `256 * n`. It contains the effect of each byte value if `n` more bytes
  /// of the step follow.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      tables[byte] = (0..<8).reduce(UInt32(byte)) { value, _ in
        value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial
      }
    }
    for place in 256..<tables.count {
      let before = tables[place - 256]
      tables[place] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      bytes.withUnsafeBytes { bytes in
        var value = UInt32.max
        var place = 0
        while bytes.count - place >= 8 {
          let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
          let mixed = word ^ UInt64(value)
          value = 0
          for byte in 0..<8 {
            value ^= tables[256 * (7 - byte) + Int(mixed >> UInt64(8 * byte) & 0xFF)]
          }
          place += 8
        }
        while place < bytes.count {
          value = value >> 8 ^ tables[Int((value ^ UInt32(bytes[place])) & 0xFF)]
          place += 1
        }
        return ~value
      }
    }
  }
}
