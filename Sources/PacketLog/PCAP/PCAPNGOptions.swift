internal import Bluetooth

/// Iterates over the options of a pcapng block: code, length, value, padding to 4 bytes.
struct PCAPNGOptions {
  struct Option {
    var code: UInt16
    var start: Int
    var length: Int
  }

  private static let endOfOptions: UInt16 = 0
  private let order: ByteOrder
  private var position: Int

  /// - Parameter position: The end of the preceding fields, without padding.
  init(from position: Int, _ order: ByteOrder) {
    self.position = Self.aligned(position)
    self.order = order
  }

  /// - Returns: The option, or `nil` at the end of the options or if the option exceeds the block.
  mutating func next(in block: RawSpan) -> Option? {
    let end = block.byteCount - PCAPNGBlock.trailerLength
    guard position + 4 <= end, let code = block.uint16(at: position, order),
      let length = block.uint16(at: position + 2, order), code != Self.endOfOptions
    else { return nil }
    let option = Option(code: code, start: position + 4, length: Int(length))
    position = Self.aligned(option.start + option.length)
    return option.start + option.length <= end ? option : nil
  }

  private static func aligned(_ position: Int) -> Int { (position + 3) & ~3 }
}
