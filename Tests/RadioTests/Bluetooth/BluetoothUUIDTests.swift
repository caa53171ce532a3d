import Bluetooth
import Testing

@Suite struct BluetoothUUIDTests {
  @Test func `a short UUID equals its expansion`() {
    let full: [UInt8] = [
      0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x37, 0x2A, 0x00, 0x00,
    ]
    #expect(BluetoothUUID(littleEndian: full.span.bytes) == .heartRateMeasurement)
    #expect(BluetoothUUID(littleEndian: ([0x37, 0x2A] as [UInt8]).span.bytes) == .heartRateMeasurement)
    #expect(BluetoothUUID.heartRateMeasurement.assignedNumber == 0x2A37)
    #expect(BluetoothUUID.heartRateMeasurement.description == "2a37")
  }

  @Test func `a vendor's UUID keeps its 128 bits`() {
    let uuid = BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
    #expect(uuid.assignedNumber == nil)
    #expect(uuid.description == "fb005c80-02e7-f387-1cad-8acd2d8df0c8")
    var writer = ByteWriter()
    writer.append(uuid)
    #expect(BluetoothUUID(littleEndian: writer.bytes.span.bytes) == uuid)
  }

  @Test(arguments: [0, 1, 3, 4, 15, 17])
  func `ATT has no UUIDs of other lengths`(count: Int) {
    #expect(BluetoothUUID(littleEndian: [UInt8](repeating: 0, count: count).span.bytes) == nil)
  }
}
