/// What a message is, and who sent it to whom, without its body. D-Bus specification, "Message Format".
struct MessageHeader: Hashable {
  enum Kind: Hashable {
    case methodCall(wantsReply: Bool)
    case reply(to: UInt32)
    case failure(to: UInt32, name: String)
    case signal
  }

  var kind: Kind
  var serial: UInt32
  var sender: String?
  var path: ObjectPath?
  var interface: String?
  var member: String?

  var replyAddress: ReplyAddress { ReplyAddress(sender: sender, serial: serial) }
}

extension MessageHeader {
  /// The numbers of fields.
  private enum Field {
    static let path: UInt8 = 1
    static let interface: UInt8 = 2
    static let member: UInt8 = 3
    static let errorName: UInt8 = 4
    static let replySerial: UInt8 = 5
    static let sender: UInt8 = 7
  }

  /// Reads the beginning of a frame, of which the rest may not have come. The bus has checked it; nothing
  /// here relies on that.
  ///
  /// - Parameter frame: the fixed part of the header, and as much of the fields as there is.
  /// - Returns: nil where it is of no kind that this version of the specification has. What stands behind a
  ///   field that no message of this version has is not looked for.
  init?(frame: RawSpan) {
    guard frame.byteCount >= FrameBuffer.fixedHeader else { return nil }
    let octets = frame.withUnsafeBytes { Array($0) }
    var reader = FieldReader(octets: octets)
    reader.offset = 8
    guard let serial = reader.number(), let length = reader.number() else { return nil }
    var texts: [UInt8: String] = [:]
    var numbers: [UInt8: UInt32] = [:]
    while reader.offset < FrameBuffer.fixedHeader + Int(length), let (code, type) = reader.beginField() {
      switch type {
      case UInt8(ascii: "s"), UInt8(ascii: "o"): texts[code] = reader.text()
      case UInt8(ascii: "u"): numbers[code] = reader.number()
      case UInt8(ascii: "g"): reader.passOverSignature()
      default: reader.offset = octets.count
      }
    }
    let replySerial = numbers[Field.replySerial]
    switch octets[1] {
    case 1: kind = .methodCall(wantsReply: octets[2] & 1 == 0)
    case 2: kind = .reply(to: replySerial ?? 0)
    case 3: kind = .failure(to: replySerial ?? 0, name: texts[Field.errorName] ?? "")
    case 4: kind = .signal
    default: return nil
    }
    self.serial = serial
    sender = texts[Field.sender]
    path = texts[Field.path].flatMap(ObjectPath.init)
    interface = texts[Field.interface]
    member = texts[Field.member]
  }
}

/// Reads the fields of a header one by one: a number, the signature of a variant, and its value.
private struct FieldReader {
  let octets: [UInt8]
  var offset = 0

  private var isLittleEndian: Bool { octets[0] == UInt8(ascii: "l") }

  mutating func beginField() -> (code: UInt8, type: UInt8)? {
    align(to: 8)
    guard offset + 4 <= octets.count, octets[offset + 1] == 1, octets[offset + 3] == 0 else { return nil }
    defer { offset += 4 }
    return (octets[offset], octets[offset + 2])
  }

  mutating func number() -> UInt32? {
    align(to: 4)
    guard offset + 4 <= octets.count else { return nil }
    defer { offset += 4 }
    let value = octets[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return isLittleEndian ? value.byteSwapped : value
  }

  mutating func text() -> String? {
    guard let count = number().map(Int.init), offset + count < octets.count else {
      offset = octets.count
      return nil
    }
    defer { offset += count + 1 }
    return String(decoding: octets[offset..<offset + count], as: UTF8.self)
  }

  mutating func passOverSignature() {
    offset += offset < octets.count ? Int(octets[offset]) + 2 : 0
  }

  private mutating func align(to width: Int) { offset = (offset + width - 1) / width * width }
}
