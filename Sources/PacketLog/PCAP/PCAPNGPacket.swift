internal import Bluetooth

/// The fields of a packet block. There are three types of such blocks.
struct PCAPNGPacket {
  var interface: UInt32
  /// The timestamp in the interface's units, or `nil` for a Simple Packet Block, which has no time.
  var timestamp: UInt64?
  var captured: UInt32
  var original: UInt32
  /// The offset of the packet in the block.
  var start: Int
  /// Whether the recorder dropped packets since the last one.
  var followsLoss = false

  /// - Parameter block: A whole block.
  /// - Returns: The fields, or `nil` if the block type contains no packet or the body is too short.
  init?(_ type: UInt32, _ block: RawSpan, _ order: ByteOrder) {
    switch type {
    case PCAPNGBlock.enhancedPacket: self.init(enhanced: block, order)
    case PCAPNGBlock.simplePacket: self.init(simple: block, order)
    case PCAPNGBlock.packet: self.init(obsolete: block, order)
    default: return nil
    }
  }

  private init?(enhanced block: RawSpan, _ order: ByteOrder) {
    guard let interface = block.uint32(at: 8, order), let high = block.uint32(at: 12, order),
      let low = block.uint32(at: 16, order), let captured = block.uint32(at: 20, order),
      let original = block.uint32(at: 24, order)
    else { return nil }
    self.interface = interface
    timestamp = UInt64(high) << 32 | UInt64(low)
    self.captured = captured
    self.original = original
    start = 28
    followsLoss = Self.dropCount(block, after: start + Int(captured), order) > 0
  }

  private init?(simple block: RawSpan, _ order: ByteOrder) {
    guard let original = block.uint32(at: 8, order) else { return nil }
    interface = 0
    self.original = original
    start = 12
    let room = UInt32(clamping: block.byteCount - start - PCAPNGBlock.trailerLength)
    captured = min(original, room)
  }

  private init?(obsolete block: RawSpan, _ order: ByteOrder) {
    let dropsUnknown: UInt16 = 0xFFFF
    guard let interface = block.uint16(at: 8, order), let drops = block.uint16(at: 10, order),
      let high = block.uint32(at: 12, order), let low = block.uint32(at: 16, order),
      let captured = block.uint32(at: 20, order), let original = block.uint32(at: 24, order)
    else { return nil }
    self.interface = UInt32(interface)
    timestamp = UInt64(high) << 32 | UInt64(low)
    self.captured = captured
    self.original = original
    start = 28
    followsLoss = drops != 0 && drops != dropsUnknown
  }

  /// Returns the value of the option `epb_dropcount`, or 0 if it is missing.
  private static func dropCount(_ block: RawSpan, after packetEnd: Int, _ order: ByteOrder) -> UInt64 {
    let dropCountCode: UInt16 = 4
    var options = PCAPNGOptions(from: packetEnd, order)
    while let option = options.next(in: block) {
      if option.code == dropCountCode { return block.uint64(at: option.start, order) ?? 0 }
    }
    return 0
  }
}
