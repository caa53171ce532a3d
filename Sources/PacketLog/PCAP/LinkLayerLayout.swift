internal import Bluetooth

/// Where a sniffer's record holds a link-layer packet, and what is there that was not on the air as octets.
struct LinkLayerLayout {
  /// Of all primary advertising channels (Core Specification, Vol 6, Part B, §2.1.2).
  static let advertisingAccessAddress: UInt32 = 0x8E89_BED6
  static let accessAddressLength = 4
  static let headerLength = 2
  static let crcLength = 3
  private static let shortestPacket = accessAddressLength + headerLength

  var reception: LinkLayerReception
  /// Where the access address begins.
  var start: Int
  /// The coding indicator of the Coded PHY follows the access address.
  var hasCodingIndicator = false
  /// The receiver may have left an octet of padding after the PDU header.
  var mayHavePadding = false

  /// Puts access address and PDU side by side and drops a CRC that the sniffer has checked.
  ///
  /// Of a packet that was truncated before the length of its PDU only the access address is kept, which
  /// identifies the connection.
  func frame(_ packet: UnsafeMutableRawBufferPointer, _ originalLength: Int) -> FramedPacket? {
    let originalLength = max(originalLength, packet.count)
    let headerAt = start + Self.accessAddressLength + (hasCodingIndicator ? 1 : 0)
    guard headerAt + Self.headerLength <= packet.count else {
      guard packet.count < originalLength, start <= packet.count else { return nil }
      let end = min(start + Self.accessAddressLength, packet.count)
      return FramedPacket(
        content: .linkLayer(reception), range: start..<end, isTruncated: true)
    }
    var lower = start
    if mayHavePadding, hasPadding(packet.bytes, headerAt, originalLength) {
      lower = Self.remove(headerAt + Self.headerLength, from: packet, lower)
    }
    if hasCodingIndicator {
      lower = Self.remove(lower + Self.accessAddressLength, from: packet, lower)
    }
    let dropped = reception.crc == .unknown ? 0 : Self.crcLength
    let upper = min(packet.count, originalLength - dropped)
    guard upper - lower >= Self.shortestPacket else { return nil }
    let payload = Int(packet[lower + Self.shortestPacket - 1])
    return FramedPacket(
      content: .linkLayer(reception), range: lower..<upper,
      // A missing CRC is no loss.
      isTruncated: packet.count < originalLength && upper - lower < Self.shortestPacket + payload)
  }

  /// Whether the record is one octet longer than the PDU's own length says. A PDU with a CTEInfo octet is so
  /// too (Core Specification, Vol 6, Part B, §2.4), and has no padding.
  private func hasPadding(_ packet: RawSpan, _ headerAt: Int, _ originalLength: Int) -> Bool {
    let hasCTEInfo: UInt8 = 0b10_0000
    guard let first = packet.uint8(at: headerAt), let payload = packet.uint8(at: headerAt + 1),
      headerAt + Self.headerLength < packet.byteCount
    else { return false }
    let isAdvertising = packet.uint32LE(at: start) == Self.advertisingAccessAddress
    if !isAdvertising, first & hasCTEInfo != 0 { return false }
    return originalLength - headerAt == Self.headerLength + 1 + Int(payload) + Self.crcLength
  }

  /// Moves the octets from `lower` up to `index` one to the right, over the one at `index`.
  ///
  /// - Returns: the new lower bound.
  private static func remove(_ index: Int, from packet: UnsafeMutableRawBufferPointer, _ lower: Int) -> Int {
    guard let base = packet.baseAddress else { return lower }
    (base + lower + 1).copyMemory(from: base + lower, byteCount: index - lower)
    return lower + 1
  }
}
