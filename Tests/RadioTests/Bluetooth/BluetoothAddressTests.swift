import Bluetooth
import Testing

@Suite struct BluetoothAddressTests {
  @Test func `the text form is formatted and parsed`() throws {
    let address = try #require(BluetoothAddress("F0:0d:BE:A7:07:01", kind: .random))
    #expect(address.bits == 0xF00D_BEA7_0701)
    #expect(address.description == "F0:0D:BE:A7:07:01")
  }

  @Test(arguments: [
    "", "F0:0D:BE:A7:07", "F0:0D:BE:A7:07:01:02", "F0:0D:BE:A7:07:+1", "F00DBEA70701", "F0:0D:BE:A7:07:1",
  ])
  func `text that is not an address is rejected`(text: String) {
    #expect(BluetoothAddress(text, kind: .random) == nil)
  }

  @Test func `bytes are in the order least significant first`() {
    let bytes: [UInt8] = [0xFF, 0x01, 0x07, 0xA7, 0xBE, 0x0D, 0xF0]
    let address = BluetoothAddress(littleEndian: bytes.span.bytes, at: 1, kind: .publicDevice)
    #expect(address?.description == "F0:0D:BE:A7:07:01")
    #expect(BluetoothAddress(littleEndian: bytes.span.bytes, at: 2, kind: .publicDevice) == nil)
    var writer = ByteWriter()
    if let address { writer.append(address) }
    #expect(writer.bytes == Array(bytes.dropFirst()))
  }

  @Test func `the kind is part of the identity`() {
    #expect(BluetoothAddress(bits: 1, kind: .random) != BluetoothAddress(bits: 1, kind: .publicDevice))
  }

  @Test(
    arguments: [
      (0xFFFF_FFFF_FFFF, .staticDevice), (0xC000_0000_0000, .staticDevice), (0xBFFF_FFFF_FFFF, nil),
      (0x8000_0000_0000, nil), (0x7FFF_FFFF_FFFF, .resolvablePrivate), (0x4000_0000_0000, .resolvablePrivate),
      (0x3FFF_FFFF_FFFF, .nonResolvablePrivate), (0, .nonResolvablePrivate),
    ] as [(UInt64, BluetoothAddress.Subtype?)])
  func `the two top bits determine the subtype of a random address, and have no meaning in a public one`(
    bits: UInt64, subtype: BluetoothAddress.Subtype?
  ) {
    #expect(BluetoothAddress(bits: bits, kind: .random).subtype == subtype)
    #expect(BluetoothAddress(bits: bits, kind: .publicDevice).subtype == .publicDevice)
  }

  @Test func `private addresses are recognized by their top bits`() {
    #expect(BluetoothAddress(bits: 0x4000_0000_0000, kind: .random).isPrivate)
    #expect(BluetoothAddress(bits: 0x3FFF_0000_0000, kind: .random).isPrivate)
    #expect(!BluetoothAddress(bits: 0x4000_0000_0000, kind: .publicDevice).isPrivate)
    #expect(!BluetoothAddress(bits: 0xC000_0000_0000, kind: .random).isPrivate)
  }
}
