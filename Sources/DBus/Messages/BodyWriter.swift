/// Writes checked values as octets, little-endian. D-Bus specification, "Marshaling (Wire Format)".
struct BodyWriter {
  /// From a place on that is aligned to eight octets.
  private(set) var octets: [UInt8] = []

  mutating func append(_ value: DBusValue) {
    switch value {
    case .byte(let number): octets.append(number)
    case .boolean(let flag): append(UInt32(flag ? 1 : 0))
    case .int16(let number): append(UInt16(bitPattern: number))
    case .uint16(let number): append(number)
    case .int32(let number): append(UInt32(bitPattern: number))
    case .uint32(let number): append(number)
    case .int64(let number): append(UInt64(bitPattern: number))
    case .uint64(let number): append(number)
    case .double(let number): append(number.bitPattern)
    case .string(let text): append(text)
    case .objectPath(let path): append(path.rawValue)
    case .signature(let signature): append(signature)
    case .bytes(let bytes):
      append(UInt32(bytes.count))
      octets.append(contentsOf: bytes)
    case .array(let element, let values):
      appendArray(alignedTo: Self.alignment(of: element)) { writer in
        for value in values { writer.append(value) }
      }
    case .dictionary(_, _, let entries):
      appendArray(alignedTo: 8) { writer in
        for (key, value) in entries {
          writer.align(to: 8)
          writer.append(key)
          writer.append(value)
        }
      }
    case .structure(let members):
      align(to: 8)
      for member in members { append(member) }
    case .variant(let inner):
      append(inner.signature)
      append(inner)
    }
  }

  mutating func append(_ text: String) {
    append(UInt32(text.utf8.count))
    octets.append(contentsOf: text.utf8)
    octets.append(0)
  }

  mutating func append(_ signature: Signature) {
    octets.append(UInt8(signature.rawValue.utf8.count))
    octets.append(contentsOf: signature.rawValue.utf8)
    octets.append(0)
  }

  mutating func append(_ number: some FixedWidthInteger) {
    let width = number.bitWidth / 8
    align(to: width)
    withUnsafeBytes(of: number.littleEndian) { octets.append(contentsOf: $0) }
  }

  /// The number of octets, up to the first element without, and then the elements.
  mutating func appendArray(alignedTo alignment: Int, _ elements: (inout BodyWriter) -> Void) {
    append(UInt32(0))
    let place = octets.count - 4
    align(to: alignment)
    let start = octets.count
    elements(&self)
    let count = UInt32(octets.count - start)
    for index in 0..<4 { octets[place + index] = UInt8(truncatingIfNeeded: count >> (8 * index)) }
  }

  mutating func align(to width: Int) {
    while octets.count % width != 0 { octets.append(0) }
  }

  private static func alignment(of type: Signature) -> Int {
    switch type.rawValue.utf8.first {
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "s"), UInt8(ascii: "o"),
      UInt8(ascii: "a"), UInt8(ascii: "h"):
      4
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
    default: 1
    }
  }
}
