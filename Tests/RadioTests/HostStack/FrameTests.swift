import Bluetooth
import Testing

@testable import PacketLog

/// Reassembly of ACL fragments into frames (Core Specification, Vol 4, Part E, §5.4.2).
@Suite struct FrameTests {
  private var traffic: HostTraffic = {
    var traffic = HostTraffic()
    traffic.connect()
    traffic.declareMeasurement()
    _ = traffic.drainEvents()
    return traffic
  }()

  private let missed = HostEvent.incomplete(Link(id: 1, peer: .strap))
  private let frame: [UInt8] = [12, 0, 4, 0, 0x1B, 0x12, 0, 0x16, 60, 1, 4, 2, 4, 3, 4, 4]

  private func packet(_ boundary: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
    [0x40, boundary << 4, UInt8(payload.count), 0] + payload
  }

  private mutating func receive(_ boundary: UInt8, _ payload: some Collection<UInt8>) {
    traffic.observe(.aclData, .controllerToHost, packet(boundary, payload))
  }

  private var values: [[UInt8]] {
    traffic.events.compactMap { if case .notified(_, _, _, let value) = $0 { value.bytes } else { nil } }
  }

  @Test mutating func `a frame in fragments of any size is reassembled`() {
    for size in 1...frame.count {
      traffic.events = []
      for start in stride(from: 0, to: frame.count, by: size) {
        receive(start == 0 ? 2 : 1, frame[start..<min(start + size, frame.count)])
      }
      #expect(values == [Array(frame.dropFirst(7))], "fragments of \(size)")
    }
  }

  @Test mutating func `the two directions of a link are separate`() {
    receive(2, frame.prefix(6))
    traffic.observe(.aclData, .hostToController, packet(0, [3, 0, 4, 0, 0x0A, 0x12, 0x00]))
    receive(1, frame.dropFirst(6))
    #expect(values.count == 1)
    #expect(traffic.events.compactMap(\.anomaly).isEmpty)
  }

  @Test
  mutating func
    `a fragment without a start, a start within a frame and a frame that is too long are reported`()
  {
    receive(1, frame.dropFirst(6))
    #expect(traffic.drainEvents() == [.anomaly(.continuationWithoutStart), missed])
    receive(2, frame.prefix(6))
    receive(2, frame)
    #expect(traffic.events.prefix(2) == [.anomaly(.startInsideFrame), missed])
    #expect(values.count == 1)
    traffic.events = []
    receive(2, frame.prefix(6))
    receive(1, frame)
    #expect(traffic.drainEvents() == [.anomaly(.frameTooLong), missed])
    receive(2, frame)
    #expect(values.count == 1)
  }

  @Test mutating func `frames of other channels are counted but not stored`() {
    receive(2, [0x00, 0x10, 0x40, 0x00] + [UInt8](repeating: 1, count: 100))
    for _ in 0..<39 { receive(1, [UInt8](repeating: 2, count: 100)) }
    receive(1, [UInt8](repeating: 2, count: 96))
    #expect(traffic.drainEvents() == [.unread(Link(id: 1, peer: .strap), .channelFrame)])
    receive(1, [1])
    #expect(traffic.drainEvents() == [.anomaly(.continuationWithoutStart), missed])
    receive(2, frame)
    #expect(values.count == 1)
  }

  @Test mutating func `lost packets discard incomplete frames`() {
    receive(2, frame.prefix(6))
    traffic.observer.lostPackets()
    receive(1, frame.dropFirst(6))
    #expect(traffic.drainEvents() == [.anomaly(.continuationWithoutStart), missed])
  }

  @Test mutating func `lost packets cancel the request, so that the next response is not used for it`() {
    traffic.host([0x0A, 0x12, 0x00])
    traffic.observer.lostPackets()
    traffic.peer([0x0B, 0x01])
    #expect(traffic.events.isEmpty)
  }

  @Test mutating func `a packet that is shorter than its length field is an anomaly`() {
    for bytes: [UInt8] in [[], [0x40], [0x40, 0x20, 9], [0x40, 0x20, 9, 0, 5, 0, 4, 0]] {
      traffic.observe(.aclData, .controllerToHost, bytes)
    }
    let cut: [HostEvent] = [.anomaly(.truncatedPacket), missed]
    #expect(traffic.drainEvents() == cut + cut + cut + cut)
    receive(2, [0, 0, 4, 0])
    receive(2, [2, 0, 4, 0, 0x1B, 0x12])
    #expect(traffic.events == [.anomaly(.truncatedPDU), .anomaly(.truncatedPDU)])
  }

  @Test mutating func `without a direction, the boundary flags distinguish the two sides`() {
    for (boundary, payload) in [
      (2, Array(frame.prefix(6))), (0, [3, 0, 4, 0, 0x0A, 0x12, 0x00]), (1, Array(frame.dropFirst(6))),
    ]
      as [(UInt8, [UInt8])]
    {
      traffic.observe(.aclData, nil, packet(boundary, payload))
    }
    #expect(values.count == 1)
    #expect(traffic.events.compactMap(\.anomaly).isEmpty)
  }

  @Test mutating func `the continuation of a truncated packet is not appended to another frame`() {
    receive(2, frame.prefix(6))
    traffic.observe(.aclData, .controllerToHost, [0x40, 0x20, 9, 0, 5])
    receive(1, frame.dropFirst(6))
    #expect(
      traffic.events == [
        .anomaly(.truncatedPacket), .anomaly(.startInsideFrame), missed, .anomaly(.continuationWithoutStart),
        missed,
      ])
  }

  @Test mutating func `without a direction, the opcode determines the sender`() {
    traffic.observe(.aclData, nil, packet(2, frame))
    #expect(values.count == 1)
  }
}
