import Bluetooth
import Testing

@Suite struct AttributeValueTests {
  @Test(arguments: [0, 1, 20, 22, 23, 512])
  func `bytes are kept, inline or not`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let value = AttributeValue(bytes)
    #expect(value.count == count)
    #expect(value.bytes == bytes)
    #expect(value == AttributeValue(bytes))
    #expect(value != AttributeValue(bytes + [0]))
  }
}

@Suite struct RawSpanReadTests {
  private let bytes: [UInt8] = [1, 2, 3]

  @Test(arguments: [-1, 2, 3, 4, Int.max, Int.min])
  func `reads past either end return nil and do not trap`(offset: Int) {
    let short = bytes.span.bytes.uint16LE(at: offset)
    let long = bytes.span.bytes.uint64BE(at: offset)
    #expect(short == nil)
    #expect(long == nil)
  }

  @Test func `integers are read in both byte orders`() {
    let little = bytes.span.bytes.uint16LE(at: 1)
    let big = bytes.span.bytes.uint16BE(at: 1)
    #expect(little == 0x0302)
    #expect(big == 0x0203)
  }
}

@Suite struct HexadecimalTests {
  @Test func `hexadecimal digits are formatted and parsed`() {
    #expect(([0x00, 0xAF] as [UInt8]).hexadecimal == "00af")
    #expect([UInt8](hexadecimal: "00Af") == [0x00, 0xAF])
    #expect([UInt8](hexadecimal: "0") == nil)
    #expect([UInt8](hexadecimal: "0g") == nil)
  }
}
