internal import Bluetooth

/// A capture interface described in a section of a pcapng file.
struct PCAPNGInterface {
  let linkType: UInt32
  /// The value of the option `if_name`, truncated to a maximum length.
  var name: [UInt8]?
  /// `nil` if the link type does not contain Bluetooth.
  var framing: PacketFraming?
  var time = PCAPNGTime()
  var snapLength: UInt32

  private static let longestName = 256

  private enum OptionCode {
    static let name: UInt16 = 2
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14
  }

  /// - Parameter block: A whole Interface Description Block.
  /// - Returns: The interface, or `nil` if the body is too short.
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
