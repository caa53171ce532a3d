internal import Bluetooth

/// One capture interface of a pcapng section.
struct PCAPNGInterface {
  let linkType: UInt32
  /// `if_name`, as many bytes of it as count.
  var name: [UInt8]?
  /// `nil` for a link type that carries no Bluetooth.
  var framing: PacketFraming?
  var time = PCAPNGTime()
  var snapLength: UInt32

  private static let longestName = 256

  private enum OptionCode {
    static let name: UInt16 = 2
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14
  }

  /// - Parameter block: a whole interface description block.
  /// - Returns: `nil` where the body is too short.
  init?(_ block: RawSpan, _ order: ByteOrder) {
    let fixedFieldsEnd = 16
    guard let linkType = block.uint16(at: 8, order), let snapLength = block.uint32(at: 12, order),
      block.byteCount >= fixedFieldsEnd + PCAPNGBlock.trailerLength
    else { return nil }
    self.linkType = UInt32(linkType)
    framing = LinkType(rawValue: self.linkType).map(PacketFraming.init)
    self.snapLength = snapLength
    var options = PCAPNGOptions(from: fixedFieldsEnd, order)
    while let option = options.next(in: block) {
      switch (option.code, option.length) {
      case (OptionCode.name, 1...):
        let end = option.start + min(option.length, Self.longestName)
        name = block.extracting(option.start..<end).copiedBytes()
      case (OptionCode.timeResolution, 1...):
        time.resolution = block.uint8(at: option.start) ?? time.resolution
      case (OptionCode.timeOffset, 8...):
        time.offsetSeconds = block.uint64(at: option.start, order).map(Int64.init(bitPattern:)) ?? 0
      default: continue
      }
    }
  }
}
