internal import Bluetooth

/// Walks the options of a pcapng block: code, length, value, padding to four octets.
struct PCAPNGOptions {
  struct Option {
    var code: UInt16
    var start: Int
    var length: Int
  }

  private static let endOfOptions: UInt16 = 0
  private let order: ByteOrder
  private var position: Int

  /// - Parameter position: where the part before the options ends, still without its padding.
  init(from position: Int, _ order: ByteOrder) {
    self.position = Self.aligned(position)
    self.order = order
  }

  /// - Returns: `nil` at the end of the options, and at an option that reaches past the block.
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
