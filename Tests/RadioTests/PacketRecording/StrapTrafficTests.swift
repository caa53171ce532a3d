import Bluetooth
import Testing

@testable import PacketLog
@testable import PacketRecording

@Suite struct StrapTrafficTests {
  /// Returns the recorded messages, if the kernel knows these peers by their connection handles.
  private func recorded(
    _ messages: [MonitorMessage], of straps: Set<BluetoothAddress> = [.strap],
    kernel: [UInt16: BluetoothAddress] = [:]
  ) -> [MonitorMessage] {
    var traffic = StrapTraffic(straps: straps)
    return messages.flatMap { traffic.select($0) { kernel[$1]?.bits } }
  }

  private func connection(in message: MonitorMessage) -> LEConnectionComplete? {
    LEConnectionComplete(message.packet.span.bytes.extracting(droppingFirst: 2))
  }

  @Test func `a strap's link is recorded from beginning to end, and an unknown device's is not`() {
    let strap: [MonitorMessage] = [
      .connected(0x40, to: .strap), .notification(on: 0x40), .disconnected(0x40),
    ]
    let stranger: [MonitorMessage] = [
      .connected(0x41, to: .stranger), .notification(on: 0x41), .disconnected(0x41),
    ]
    #expect(recorded(zip(strap, stranger).flatMap { [$0, $1] }) == strap)
  }

  @Test func `a handle that is reused by another peer is no longer the strap's`() {
    let messages: [MonitorMessage] = [
      .connected(0x40, to: .strap), .disconnected(0x40), .connected(0x40, to: .stranger),
      .notification(on: 0x40), .disconnected(0x40),
    ]
    #expect(recorded(messages) == Array(messages.prefix(2)))
  }

  @Test func `only advertisements of straps are recorded`() {
    func report(_ address: BluetoothAddress) -> MonitorMessage {
      .event(
        HCIEventPacket.leAdvertisingReport(from: address, isScanResponse: false, data: [2, 1, 6], rssi: -50))
    }
    // An advertising report event with two reports. The second one is of an unknown device.
    var both = report(.strap).packet
    both += report(.stranger).packet.dropFirst(4)
    both[1] = UInt8(both.count - 2)
    both[3] = 2
    #expect(recorded([report(.strap), report(.stranger), .event(both)]) == [report(.strap)])
  }

  @Test func `commands for a strap or its link are recorded with their results`() {
    let connect = HCICommandPacket.leCreateConnection(to: .strap, interval: 24, supervisionTimeout: 42)
    let other = HCICommandPacket.leCreateConnection(to: .stranger, interval: 24, supervisionTimeout: 42)
    let update: [UInt8] = [0x13, 0x20, 2, 0x40, 0x00]
    let scan = HCICommandPacket.leSetScanEnable(true)
    let kept: [MonitorMessage] = [
      .command(connect), .event(HCIEventPacket.commandStatus(of: connect)), .connected(0x40, to: .strap),
      .command(update), .event(HCIEventPacket.commandStatus(of: update)),
      .command(HCICommandPacket.reset), .event(HCIEventPacket.commandComplete(of: HCICommandPacket.reset)),
    ]
    let left: [MonitorMessage] = [
      .command(other), .event(HCIEventPacket.commandStatus(of: other)), .command(scan),
      .event(HCIEventPacket.commandComplete(of: scan)), .event(HCIEventPacket.completedPacket(handle: 0x40)),
    ]
    #expect(recorded(left + kept + left) == kept)
  }

  @Test func `added and removed controllers are recorded, and end their links`() {
    let messages: [MonitorMessage] = [
      .presence(MonitorOpcode.newIndex), .presence(MonitorOpcode.openIndex), .connected(0x40, to: .strap),
      .presence(MonitorOpcode.closeIndex),
    ]
    #expect(recorded(messages + [.notification(on: 0x40)]) == messages)
  }

  @Test func `a private address is resolved with the identity that the kernel knows`() throws {
    let messages: [MonitorMessage] = [
      .connected(0x40, to: .hidden, at: 5), .notification(on: 0x40, at: 6), .notification(on: 0x40, at: 7),
    ]
    let recorded = recorded(messages, kernel: [0x40: .strap])
    #expect(recorded.map(\.opcode) == [MonitorOpcode.systemNote, MonitorOpcode.event] + [5, 5])
    #expect(Array(recorded.suffix(2)) == Array(messages.suffix(2)))
    let beginning = try #require(recorded.dropFirst().first)
    #expect(beginning.time.microsecondsSince1970 == 5)
    let connection = try #require(self.connection(in: beginning))
    #expect(connection.peer == .strap && connection.handle == 0x40 && connection.status == 0)
    // The recorded message has the connection's real interval, latency and timeout.
    #expect(Array(beginning.packet.suffix(7)) == [24, 0, 0, 0, 42, 0, 0])
    #expect(self.recorded(messages, kernel: [0x40: .stranger]) == [])
  }

  @Test func `a link that existed before is recorded with its peer`() throws {
    let recorded = recorded([.notification(on: 0x40), .notification(on: 0x40)], kernel: [0x40: .strap])
    #expect(recorded.count == 4)
    #expect(connection(in: recorded[1])?.peer == .strap)
    #expect(self.recorded([.notification(on: 0x40)]) == [])
  }

  @Test func `a strap that is enrolled during its link is recorded from then on, with one beginning`() {
    var traffic = StrapTraffic(straps: [.strap])
    let kernel: [UInt16: BluetoothAddress] = [0x40: .strap, 0x41: .stranger]
    func take(_ message: MonitorMessage) -> [MonitorMessage] { traffic.select(message) { kernel[$1]?.bits } }
    _ = take(.connected(0x40, to: .strap))
    #expect(take(.connected(0x41, to: .stranger)) == [])
    #expect(take(.notification(on: 0x41)) == [])
    traffic.record([.strap, .stranger])
    #expect(take(.notification(on: 0x40)) == [.notification(on: 0x40)])
    let late = take(.notification(on: 0x41, at: 9))
    #expect(late == [.connected(0x41, to: .stranger, at: 9), .notification(on: 0x41, at: 9)])
    #expect(take(.notification(on: 0x41)) == [.notification(on: 0x41)])
    traffic.record([.strap])
    #expect(take(.notification(on: 0x41)) == [])
  }

  @Test func `after a loss a handle may belong to any device, so the kernel is asked`() throws {
    func recorded(_ peer: BluetoothAddress?) -> [MonitorMessage] {
      var traffic = StrapTraffic(straps: [.strap, .other])
      var all = traffic.select(.connected(0x40, to: .strap)) { _, _ in nil }
      traffic.loseMessages()
      for message in [.notification(on: 0x40), .disconnected(0x40)] as [MonitorMessage] {
        all += traffic.select(message) { _, _ in peer?.bits }
      }
      return Array(all.dropFirst())
    }
    #expect(recorded(.strap) == [.notification(on: 0x40), .disconnected(0x40)])
    // Whether the kernel knows another peer or none for this handle, the strap's link has ended.
    #expect(recorded(.stranger) == [.disconnected(0x40)])
    #expect(recorded(nil) == [.disconnected(0x40)])
    let other = recorded(.other)
    #expect(other.count == 4 && connection(in: other[1])?.peer == .other)
  }

  @Test func `if the host is the peripheral, the synthesized beginning says so`() throws {
    var event = MonitorMessage.connected(0x40, to: .hidden)
    event.packet[6] = 1
    let recorded = recorded([event, .notification(on: 0x40)], kernel: [0x40: .strap])
    #expect(try #require(connection(in: recorded[1])).isPeripheral)
  }

  @Test func `truncated packets are not recorded`() {
    let whole: [MonitorMessage] = [
      .connected(0x40, to: .strap), .disconnected(0x40), .notification(on: 0x40),
      .command(HCICommandPacket.leCreateConnection(to: .strap, interval: 24, supervisionTimeout: 42)),
      .event(
        HCIEventPacket.leAdvertisingReport(from: .strap, isScanResponse: false, data: [2, 1, 6], rssi: 0)),
    ]
    for message in whole {
      for length in 0..<message.packet.count {
        var cut = message
        cut.packet = Array(message.packet.prefix(length))
        _ = recorded([cut], kernel: [0x40: .strap])
      }
    }
  }
}
