import Bluetooth
import Testing

@testable import PacketLog
@testable import TestSupport

/// Tests that random and malformed packets are handled without a trap or unlimited memory.
@Suite struct HostileTrafficTests {
  @Test(arguments: 0..<16 as Range<UInt64>)
  func `random packets cause no crash and leave no links behind`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var traffic = HostTraffic()
    var began: Set<UInt32> = []
    var ended: Set<UInt32> = []
    var heard = 0
    var linkLayer = LinkLayerObserver()
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let type = HCIPacketType.allCases.randomElement(using: &random) ?? .event
      // Half of the packets begin like valid ones, so that they pass the first check.
      if Bool.random(using: &random) {
        let starts: [[UInt8]] = [
          [0x3E, 20, 0x01, 0x00, 0x40, 0x00], [0x40, 0x20, 20, 0, 16, 0, 4, 0], [0x05, 4, 0, 0x40, 0],
          [0x3E, 20, 0x02, 2], [0x40, 0x10, 5, 0],
        ]
        bytes = (starts.randomElement(using: &random) ?? []) + bytes
      }
      traffic.observe(
        type, [.hostToController, .controllerToHost, nil].randomElement(using: &random) ?? nil, bytes)
      for event in traffic.drainEvents() {
        if case .connected(let link) = event { #expect(began.insert(link.id).inserted) }
        if let link = event.link { #expect(began.contains(link.id) && !ended.contains(link.id)) }
        if case .disconnected(let link, _) = event { ended.insert(link.id) }
      }
      let accessAddress: [UInt8] = Bool.random(using: &random) ? [0xD6, 0xBE, 0x89, 0x8E] : [1, 1, 1, 1]
      let header: [UInt8] = [UInt8.random(in: 0...255, using: &random), UInt8(min(bytes.count, 36))]
      let packet = accessAddress + header + bytes
      linkLayer.observe(
        packet.span.bytes, reception: LinkLayerReception(crc: .valid), time: .init(microsecondsSince1970: 0)
      ) { _ in heard += 1 }
    }
    #expect(began.count > 100 && ended.count > 100 && heard > 100)
  }

  @Test func `each truncation of each packet of a conversation is handled and counted`() {
    let packets: [(HCIPacketType, HCIDirection, [UInt8])] = [
      (
        .event, .controllerToHost,
        HCIEventPacket.leConnectionComplete(handle: 0x40, peer: .strap, interval: 1, supervisionTimeout: 1)
      ),
      (
        .aclData, .hostToController,
        ACLPacket.attribute([0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], on: 0x40, .hostToController)
      ),
      (
        .aclData, .controllerToHost,
        ACLPacket.attribute([0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x37, 0x2A], on: 0x40, .controllerToHost)
      ),
      (
        .aclData, .controllerToHost, ACLPacket.attribute([0x1B, 0x12, 0, 6, 60], on: 0x40, .controllerToHost)
      ),
      (.event, .controllerToHost, HCIEventPacket.disconnectionComplete(handle: 0x40, reason: 8)),
    ]
    for (index, packet) in packets.enumerated() {
      for length in 0..<packet.2.count {
        var traffic = HostTraffic()
        for (other, (type, direction, bytes)) in packets.enumerated() {
          traffic.observe(type, direction, other == index ? Array(bytes.prefix(length)) : bytes)
        }
        let isACL = packet.0 == .aclData
        #expect(
          !isACL || traffic.events.contains { $0.anomaly == .truncatedPacket },
          "packet \(index) cut at \(length)")
        #expect(traffic.events.count { $0.isNotification } == (index == 3 ? 0 : 1))
      }
    }
  }

  @Test func `endless frames use limited memory`() {
    var assembly = FrameReassembly()
    let start: [UInt8] = [0xFF, 0xFF, 4, 0]
    #expect(assembly.append(start.span.bytes, isStart: true, { _ in }) == nil)
    let part = [UInt8](repeating: 0, count: 1000)
    var anomalies = 0
    for _ in 0..<200 { _ = assembly.append(part.span.bytes, isStart: false) { _ in anomalies += 1 } }
    // A frame of 65,535 bytes takes 66 fragments. Fragment 66 exceeds it, and later fragments belong to no
    // frame.
    #expect(anomalies == 200 - 65)
    #expect(!assembly.isOpen)
  }
}
