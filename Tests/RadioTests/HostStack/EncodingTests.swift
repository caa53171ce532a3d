import Bluetooth
import Testing

@testable import PacketLog

/// Compares encoded packets with bytes that were written by hand according to the specification.
@Suite struct EncodingTests {
  private let peer = BluetoothAddress(bits: 0xC011_2233_4455, kind: .random)

  @Test func `commands`() {
    #expect(HCICommandPacket.reset == [0x03, 0x0C, 0x00])
    #expect(HCICommandPacket.leSetScanEnable(true) == [0x0C, 0x20, 0x02, 0x01, 0x00])
    #expect(
      HCICommandPacket.leCreateConnection(to: peer, interval: 0x24, supervisionTimeout: 0x12C) == [
        0x0D, 0x20, 25, 0x60, 0x00, 0x30, 0x00, 0x00, 0x01, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 0x00, 0x24,
        0x00,
        0x24, 0x00, 0x00, 0x00, 0x2C, 0x01, 0x00, 0x00, 0x00, 0x00,
      ])
  }

  @Test func `events`() {
    #expect(HCIEventPacket.commandComplete(of: HCICommandPacket.reset) == [0x0E, 4, 1, 0x03, 0x0C, 0])
    #expect(HCIEventPacket.commandStatus(of: HCICommandPacket.reset) == [0x0F, 4, 0, 1, 0x03, 0x0C])
    #expect(
      HCIEventPacket.leConnectionComplete(handle: 0x40, peer: peer, interval: 0x24, supervisionTimeout: 0x12C)
        == [
          0x3E, 19, 0x01, 0x00, 0x40, 0x00, 0x00, 0x01, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 0x24, 0x00, 0x00,
          0x00,
          0x2C, 0x01, 0x00,
        ])
    #expect(
      HCIEventPacket.disconnectionComplete(handle: 0x40, reason: 0x13) == [0x05, 4, 0, 0x40, 0x00, 0x13])
    #expect(HCIEventPacket.completedPacket(handle: 0x40) == [0x13, 5, 1, 0x40, 0x00, 1, 0])
    #expect(
      HCIEventPacket.leAdvertisingReport(from: peer, isScanResponse: false, data: [2, 1, 6], rssi: -58) == [
        0x3E, 15, 0x02, 1, 0x00, 0x01, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 3, 2, 1, 6, 0xC6,
      ])
  }

  @Test func `attribute PDUs in ACL packets`() {
    #expect(
      ACLPacket.attribute(AttributePDU.notification(0x12, [6, 60]), on: 0x40, .controllerToHost) == [
        0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 0x12, 0x00, 6, 60,
      ])
    #expect(
      ACLPacket.attribute(AttributePDU.readRequest(0x12), on: 0x40, .hostToController) == [
        0x40, 0x00, 7, 0, 3, 0, 4, 0, 0x0A, 0x12, 0x00,
      ])
    #expect(
      ACLPacket.attribute([UInt8](repeating: 0, count: 70_000), on: 1, .hostToController).count == 65_539)
  }

  @Test func `requests and error responses`() {
    #expect(AttributePDU.exchangeMTU(.exchangeMTURequest, 517) == [0x02, 0x05, 0x02])
    #expect(AttributePDU.findInformationRequest(3...9) == [0x04, 3, 0, 9, 0])
    #expect(
      AttributePDU.read(.readByGroupTypeRequest, .primaryService, in: 1...0xFFFF) == [
        0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28,
      ])
    #expect(AttributePDU.readBlobRequest(3, from: 22) == [0x0C, 3, 0, 22, 0])
    #expect(AttributePDU.writeRequest(0x13, [1, 0]) == [0x12, 0x13, 0, 1, 0])
    #expect(
      AttributePDU.errorResponse(to: 0x08, handle: 5, .attributeNotFound) == [0x01, 0x08, 5, 0, 0x0A])
  }
}
