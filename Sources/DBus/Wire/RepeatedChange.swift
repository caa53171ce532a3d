internal import Glibc

/// A *PropertiesChanged* of one property, which is octets, as the bus sent it before: what is the same each
/// time, so that the next is recognised by comparing, and read without a tree of values.
///
/// Nothing is taken for one that libdbus would not read in the same way. The pattern was made of a message
/// that libdbus has read, and all but the serial, three lengths and the octets has to be equal to it.
struct RepeatedChange {
  let sender: String?
  let path: ObjectPath
  let interface: String
  let property: String

  /// The frame up to the length of the octets.
  private let head: [UInt8]
  private let bodyStart: Int
  /// Where the length of the dictionary stands; its entries begin at the next multiple of eight.
  private let dictionaryLength: Int

  /// The mark of the machine's own byte order.
  private static let ownOrder = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")

  /// Where the serial stands in every frame.
  private static let serialStart = 8

  /// - Returns: nil for anything but such a signal, and for one in the other byte order.
  init?(frame: RawSpan, _ signal: Signal) {
    guard signal.interface == StandardInterfaces.properties, signal.member == "PropertiesChanged",
      signal.body.count == 3, case .string(let interface) = signal.body[0],
      case .dictionary(_, _, let changed) = signal.body[1], changed.count == 1, let entry = changed.first,
      case .string(let property) = entry.key, case .variant(.bytes(let octets)) = entry.value,
      signal.body[2] == .strings([]), frame.byteCount >= FrameBuffer.fixedHeader,
      frame.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == Self.ownOrder
    else { return nil }
    sender = signal.sender
    path = signal.path
    self.interface = interface
    self.property = property
    bodyStart = frame.byteCount - Int(Self.number(at: 4, of: frame))
    dictionaryLength = (bodyStart + 4 + interface.utf8.count + 1 + 3) & ~3
    // Behind the octets there is an array without elements; in front of them their number.
    let start = frame.byteCount - 4 - ((octets.count + 3) & ~3)
    guard bodyStart >= FrameBuffer.fixedHeader, dictionaryLength + 8 <= start - 4 else { return nil }
    head = frame.extracting(..<(start - 4)).withUnsafeBytes { Array($0) }
    guard let value = value(in: frame), frame.extracting(value).withUnsafeBytes({ $0.elementsEqual(octets) })
    else { return nil }
  }

  /// Where the octets lie in a frame; nil where it is not this signal, or has anything else in it.
  func value(in frame: RawSpan) -> Range<Int>? {
    let start = head.count + 4
    guard frame.byteCount >= start + 4 else { return nil }
    let count = Int(Self.number(at: head.count, of: frame))
    let end = start + count
    let behind = (end + 3) & ~3
    guard frame.byteCount == behind + 4, count <= frame.byteCount,
      Self.number(at: dictionaryLength, of: frame) <= FrameBuffer.longestArray,
      Self.number(at: 4, of: frame) == frame.byteCount - bodyStart, Self.serial(of: frame) != 0,
      Self.number(at: dictionaryLength, of: frame) == end - ((dictionaryLength + 4 + 7) & ~7),
      // The invalidated properties.
      Self.number(at: behind, of: frame) == 0, isHead(of: frame)
    else { return nil }
    for padding in end..<behind where frame.unsafeLoad(fromByteOffset: padding, as: UInt8.self) != 0 {
      return nil
    }
    return start..<end
  }

  static func serial(of frame: RawSpan) -> UInt32 { number(at: serialStart, of: frame) }

  /// Whether all but the lengths and the serial is as it was.
  private func isHead(of frame: RawSpan) -> Bool {
    frame.withUnsafeBytes { frame in
      head.withUnsafeBytes { head in
        // `value` has seen that the frame is longer than the head.
        guard let frame = frame.baseAddress, let known = head.baseAddress else { return false }
        func isEqual(_ from: Int, _ to: Int) -> Bool { memcmp(frame + from, known + from, to - from) == 0 }
        // What differs most often comes first: the path.
        return isEqual(12, dictionaryLength) && isEqual(dictionaryLength + 4, head.count) && isEqual(0, 4)
      }
    }
  }

  /// In the order of the machine, which is that of the pattern.
  private static func number(at offset: Int, of frame: RawSpan) -> UInt32 {
    frame.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
}

extension Signal {
  /// Such a signal as a tree of values.
  init(_ change: RepeatedChange, _ octets: RawSpan, _ arrival: Arrival) {
    self.init(
      sender: change.sender, path: change.path, interface: StandardInterfaces.properties,
      member: "PropertiesChanged",
      body: [
        .string(change.interface),
        .properties([change.property: .bytes(octets.withUnsafeBytes { Array($0) })]),
        .strings([]),
      ], arrival: arrival)
  }
}
