internal import Bluetooth

/// The meaning of a pcap magic number: the byte order and the unit of fractional seconds.
struct PCAPVariant: Hashable, Sendable {
  enum Fraction: UInt32, CaseIterable {
    case microseconds = 0xA1B2_C3D4
    case nanoseconds = 0xA1B2_3C4D
  }

  let order: ByteOrder
  let fraction: Fraction

  static let all = Fraction.allCases.flatMap { fraction in
    [ByteOrder.little, .big].map { PCAPVariant(order: $0, fraction: fraction) }
  }

  static let magics = all.map(\.magic)

  init(order: ByteOrder, fraction: Fraction) {
    self.order = order
    self.fraction = fraction
  }

  init?(of bytes: RawSpan) {
    for order in [ByteOrder.little, .big] {
      if let fraction = bytes.uint32(at: 0, order).flatMap(Fraction.init(rawValue:)) {
        self.init(order: order, fraction: fraction)
        return
      }
    }
    return nil
  }

  /// The magic number as stored in the file.
  var magic: [UInt8] {
    let value = order == .little ? fraction.rawValue.littleEndian : fraction.rawValue.bigEndian
    return withUnsafeBytes(of: value, Array.init)
  }
}
