import Bluetooth
import PacketLog

@testable import TestSupport

/// The packets of one strap's session, one per second, for any container.
struct StrapPackets {
  static let strap = BluetoothAddress(bits: 0xC011_2233_4455, kind: .random)
  static let start: Int64 = 1_700_000_000_000_000

  private(set) var packets: [LoggedPacket] = []
  private var second: Int64

  /// - Parameter second: The time of the first packet, in seconds after ``start``.
  init(from second: Int64 = 0) { self.second = second }

  var now: Int64 { Self.start + second * 1_000_000 }

  mutating func event(_ bytes: [UInt8]) {
    packets.append(LoggedPacket(.event(), at: now, bytes))
    second += 1
  }

  mutating func connect(to peer: BluetoothAddress = strap) {
    event(HCIEventPacket.leConnectionComplete(handle: 0x40, peer: peer, interval: 24, supervisionTimeout: 42))
  }

  mutating func disconnect() { event(HCIEventPacket.disconnectionComplete(handle: 0x40, reason: 0x13)) }

  /// Declares Heart Rate Measurement at 0x0012.
  mutating func declareMeasurement() {
    host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
  }

  mutating func host(_ pdu: [UInt8]) {
    packets.append(LoggedPacket(.aclSent(), at: now, ACLPacket.attribute(pdu, on: 0x40, .hostToController)))
    second += 1
  }

  mutating func peer(_ pdu: [UInt8]) {
    packets.append(
      LoggedPacket(.aclReceived(), at: now, ACLPacket.attribute(pdu, on: 0x40, .controllerToHost)))
    second += 1
  }

  /// Sends frames with one beat of a second each.
  mutating func measure(_ rates: some Sequence<UInt8>) {
    for rate in rates { peer([0x1B, 0x12, 0x00, 0x16, rate, 0x00, 0x04]) }
  }

  /// Truncates the last packet to `length` bytes.
  mutating func cutLast(to length: Int) {
    guard var packet = packets.popLast() else { return }
    packet.originalLength = packet.bytes.count
    packet.bytes = Array(packet.bytes.prefix(length))
    packets.append(packet)
  }
}
