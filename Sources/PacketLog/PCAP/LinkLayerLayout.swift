internal import Bluetooth

/// The layout of a link-layer packet in a sniffer's record, including bytes that were not on the air.
struct LinkLayerLayout {
  /// The access address of all primary advertising channels (Core Specification, Vol 6, Part B, §2.1.2).
  static let advertisingAccessAddress: UInt32 = 0x8E89_BED6
  static let accessAddressLength = 4
  static let headerLength = 2
  static let crcLength = 3
  private static let shortestPacket = accessAddressLength + headerLength

  var reception: LinkLayerReception
  /// The offset of the access address.
  var start: Int
  /// Whether the coding indicator of the Coded PHY follows the access address.
  var hasCodingIndicator = false
  /// Whether the receiver may have stored a padding byte after the PDU header.
  var mayHavePadding = false

  /// Moves the access address and PDU together, and removes a CRC that the sniffer has checked.
  ///
  /// If the recorder cut off the PDU's length, only the access address is returned, which identifies the
  /// connection.
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
      // If only the CRC is missing, no content is lost.
      isTruncated: packet.count < originalLength && upper - lower < Self.shortestPacket + payload)
  }

  /// Returns whether there is a padding byte, because the record is 1 byte longer than the PDU.
  ///
  /// A PDU with a CTEInfo byte is longer too (Core Specification, Vol 6, Part B, §2.4), but has no padding.
  private func hasPadding(_ packet: RawSpan, _ headerAt: Int, _ originalLength: Int) -> Bool {
    let hasCTEInfo: UInt8 = 0b10_0000
    guard let first = packet.uint8(at: headerAt), let payload = packet.uint8(at: headerAt + 1),
      headerAt + Self.headerLength < packet.byteCount
    else { return false }
    let isAdvertising = packet.uint32LE(at: start) == Self.advertisingAccessAddress
    if !isAdvertising, first & hasCTEInfo != 0 { return false }
    return originalLength - headerAt == Self.headerLength + 1 + Int(payload) + Self.crcLength
  }

  /// Removes the byte at `index` by moving the bytes from `lower` to `index` up by one.
  ///
  /// - Returns: The new lower bound.
  private static func remove(_ index: Int, from packet: UnsafeMutableRawBufferPointer, _ lower: Int) -> Int {
    guard let base = packet.baseAddress else { return lower }
    (base + lower + 1).copyMemory(from: base + lower, byteCount: index - lower)
    return lower + 1
  }
}
