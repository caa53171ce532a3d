internal import Bluetooth

/// The text of an Android bug report, which contains a btsnooz log.
enum BugReport {
  private static let begin = Array("--- BEGIN:BTSNOOP_LOG_SUMMARY".utf8)
  private static let newline: UInt8 = 0x0A
  private static let padding: UInt8 = 0x3D
  private static let minus: UInt8 = 0x2D

  /// Returns whether the bytes may be text, because they do not contain a control character below tab.
  static func isText(_ bytes: RawSpan) -> Bool {
    let firstOfText: UInt8 = 0x09
    var offset = 0
    while let byte = bytes.uint8(at: offset) {
      guard byte >= firstOfText else { return false }
      offset += 1
    }
    return offset > 0
  }

  /// Skips to the btsnooz log and decodes its Base64.
  ///
  /// - Returns: The log, or `nil` if the text contains no log.
  /// - Throws: `.malformed` if the text is not Base64; `.absurdLength` if it is longer than the log of any
  ///   bug report.
  static func summary(in source: ByteSource) throws(PacketLogError) -> [UInt8]? {
    guard try skip(past: begin, in: source), try skip(past: [newline], in: source) else { return nil }
    var packed = Base64Decoder()
    while true {
      for byte in source.window where byte > 0x20 {
        // Base64 ends with its padding, or with the minus sign of the next marker line.
        if byte == padding || byte == minus { return packed.bytes }
        guard packed.append(byte) else {
          throw PacketLogError(.malformed("invalid Base64 in the bug report"), offset: source.offset)
        }
      }
      source.consume(source.window.count)
      guard packed.bytes.count <= BTSnoozReader.longestPacked else {
        throw PacketLogError(.absurdLength(UInt64(packed.bytes.count)), offset: source.offset)
      }
      guard try source.gatherMore() else { return packed.bytes }
    }
  }

  /// Skips past the first occurrence of `marker`.
  ///
  /// - Returns: `false` if the source ends before the marker.
  private static func skip(past marker: [UInt8], in source: ByteSource) throws(PacketLogError) -> Bool {
    while true {
      if let place = find(marker, in: source.window) {
        source.consume(place + marker.count)
        return true
      }
      // Keep the last bytes, because they may be the start of the marker.
      source.consume(max(source.window.count - marker.count + 1, 0))
      guard try source.gatherMore() else { return false }
    }
  }

  private static func find(_ marker: [UInt8], in window: UnsafeMutableRawBufferPointer) -> Int? {
    guard window.count >= marker.count else { return nil }
    return (0...window.count - marker.count).first { place in
      window[place] == marker[0] && window[place..<place + marker.count].elementsEqual(marker)
    }
  }
}

/// Decodes Base64 (RFC 4648) one character at a time.
struct Base64Decoder {
  private(set) var bytes: [UInt8] = []
  private var bits: UInt32 = 0
  private var count = 0

  /// - Returns: `false` if the character is not in the Base64 alphabet.
  mutating func append(_ character: UInt8) -> Bool {
    guard let value = Self.value(character) else { return false }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return true
  }

  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
