import Bluetooth
import PacketLog
import Testing

@testable import PacketReplay
@testable import TestSupport

/// Tests which state a replay keeps across sections and logs, for logs of a host and of a sniffer.
@Suite struct SectionTests {
  private let strap = BluetoothAddress(bits: 0xC011_2233_4455, kind: .random)

  // MARK: - At the host

  private var discovery: [LoggedPacket] {
    [
      LoggedPacket(
        .event(), at: 1,
        HCIEventPacket.leConnectionComplete(handle: 0x40, peer: strap, interval: 24, supervisionTimeout: 42)),
      LoggedPacket(.aclSent(), at: 2, acl(question, .hostToController)),
      LoggedPacket(.aclReceived(), at: 3, acl(answer, .controllerToHost)),
    ]
  }

  private let question: [UInt8] = [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]
  private let answer: [UInt8] = [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A]
  private let notification: [UInt8] = [0x1B, 0x12, 0x00, 0x06, 60]

  private func acl(_ pdu: [UInt8], _ direction: HCIDirection) -> [UInt8] {
    ACLPacket.attribute(pdu, on: 0x40, direction)
  }

  private func replay(_ logs: [[UInt8]]) async throws -> [Replayed] {
    let folder = try TemporaryFolder()
    let memory = ReplayMemory()
    var result: [Replayed] = []
    for (number, log) in logs.enumerated() {
      result.append(
        try await Replayed(
          PacketReplayCentral(path: folder.file("\(number)", log), memory: memory)))
    }
    return result
  }

  @Test func `a section that begins during a connection is not the connection before it`() async throws {
    let value = LoggedPacket(.aclReceived(), at: 4, acl(notification, .controllerToHost))
    let late = LoggedPacket(
      .aclReceived(), at: 5 + ReplayPlan.longestSilence, acl(notification, .controllerToHost))
    let log =
      pcapngLog(discovery + [value], linkType: 201, .little)
      + pcapngLog([late, late], linkType: 201, .little)
    let replayed = try #require(try await replay([log]).first)
    #expect(replayed.values.count == 1)
    #expect(replayed.tally.notifications == 3)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 2])
    #expect(replayed.tally.records == 6)
    #expect(
      replayed.events.contains { if case .disconnected(.address(strap), _) = $0 { true } else { false } })
  }

  // MARK: - On the air

  private static let accessAddress: [UInt8] = [0x78, 0x56, 0x34, 0x12]

  /// A packet from the air with good reception.
  private func air(_ accessAddress: [UInt8], _ pdu: [UInt8], at time: Int64) -> LoggedPacket {
    let start: UInt32 = accessAddress == Self.accessAddress ? 0x123456 : 0x555555
    return LoggedPacket(
      .linkLayer(LinkLayerReception()), at: time, accessAddress + pdu + crc(pdu, from: start))
  }

  private func crc(_ pdu: [UInt8], from start: UInt32) -> [UInt8] {
    var state: UInt32 = 0
    for bit in 0..<24 where start & (1 << bit) != 0 { state |= 1 << (23 - bit) }
    for byte in pdu {
      for bit in 0..<8 {
        let incoming: UInt32 = UInt32(byte >> UInt8(bit)) & 1
        let isSet = state & 1 != incoming
        state >>= 1
        if isSet { state ^= 0xDA6000 }
      }
    }
    return [UInt8(state & 0xFF), UInt8(state >> 8 & 0xFF), UInt8(state >> 16)]
  }

  private var request: LoggedPacket {
    let addresses: [UInt8] = [1, 2, 3, 4, 5, 6, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
    let parameters: [UInt8] = [0x56, 0x34, 0x12, 0, 0, 0, 24, 0] + [UInt8](repeating: 0, count: 10)
    return air([0xD6, 0xBE, 0x89, 0x8E], [0x85, 34] + addresses + Self.accessAddress + parameters, at: 1000)
  }

  private func data(_ pdu: [UInt8], at time: Int64) -> LoggedPacket {
    let frame = [UInt8(pdu.count), 0, 4, 0] + pdu
    return air(Self.accessAddress, [0b10, UInt8(frame.count)] + frame, at: time)
  }

  @Test func `attributes from one sniffer's log are known in the next`() async throws {
    let first = [request, data(question, at: 30_000), data(answer, at: 30_300)]
    let second = [request, data(notification, at: 30_000)]
    let logs = [first, second].map { pcapngLog($0, linkType: 251, .little) }
    let replayed = try await replay(logs)
    #expect(replayed[1].values == [[0x06, 60]])
    #expect(replayed[1].tally.unresolved.isEmpty)
    #expect(try await replay([logs[1]])[0].values.isEmpty)
    // Without a connection request in the second log, its packets do not belong to the link of the first log.
    let third = pcapngLog([data(notification, at: 30_000)], linkType: 251, .little)
    #expect(try await replay([logs[0], third])[1].values.isEmpty)
  }

  @Test func `without empty PDUs an equal value is kept and marked, and equal beats are a repetition`()
    async throws
  {
    let beats: [UInt8] = [0x1B, 0x12, 0x00, 0x16, 60, 0x00, 0x04]
    let log = pcapngLog(
      [
        request, data(question, at: 30_000), data(answer, at: 30_300), data(notification, at: 60_000),
        data(notification, at: 90_000), data(beats, at: 120_000), data(beats, at: 150_000),
        data(notification, at: 180_000),
      ], linkType: 251, .little)
    let replayed = try #require(try await replay([log]).first)
    let plain: AttributeValue = [0x06, 60]
    #expect(replayed.values == [plain, plain, [0x16, 60, 0x00, 0x04], plain])
    #expect(replayed.marks == [[], .mayBeCopy, [], []])
    #expect(replayed.tally.anomalies == ["perhapsRepetition": 1, "retransmission": 1])
  }

  /// A client enables the values of a handle that is unknown in the log, and the strap accepts.
  private func subscription(at time: Int64) -> [LoggedPacket] {
    [data([0x12, 0x13, 0x00, 0x01, 0x00], at: time), data([0x13], at: time + 300)]
  }

  /// Frames with beats, 250 ms apart, each received twice.
  private func repeatedFrames(_ rates: Range<UInt8>, from time: Int64) -> [LoggedPacket] {
    rates.enumerated().flatMap { number, rate in
      let frame: [UInt8] = [0x1B, 0x12, 0x00, 0x16, rate, rate, 0x04]
      let time = time + Int64(number) * 250_000
      return [data(frame, at: time), data(frame, at: time + 30_000)]
    }
  }

  @Test func `equal beats are a repetition too if the handle is unknown in the log`() async throws {
    // The first four frames come before the subscription, so they are held back until their handle is known.
    let packets =
      [request] + repeatedFrames(60..<64, from: 30_000) + subscription(at: 1_500_000)
      + repeatedFrames(64..<70, from: 2_000_000)
    let log = pcapngLog(packets, linkType: 251, .little)
    let replayed = try #require(try await replay([log]).first)
    #expect(replayed.values.map { $0.bytes[1] } == Array(60..<70))
    #expect(!replayed.marks.contains { !$0.isEmpty })
    #expect(replayed.tally.anomalies == ["retransmission": 10])
    #expect(replayed.tally.notifications == 10)
    #expect(replayed.tally.unresolved.isEmpty)

    let folder = try TemporaryFolder()
    let named = try await Replayed(
      PacketReplayCentral(path: folder.file("named", log), measurementHandle: 0x12))
    #expect(named.values == replayed.values)
    #expect(named.tally.anomalies == replayed.tally.anomalies)
    #expect(named.tally.notifications == 10)
  }

  @Test func `a repetition is no further evidence about a handle`() async throws {
    let packets = [request] + subscription(at: 30_000) + repeatedFrames(60..<64, from: 60_000)
    let replayed = try #require(try await replay([pcapngLog(packets, linkType: 251, .little)]).first)
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: strap, handle: 0x12): 8])
    #expect(replayed.tally.anomalies == ["perhapsRepetition": 4])
  }

  @Test func `held values keep their marks`() async throws {
    let held = [data(notification, at: 30_000), data(notification, at: 60_000)]
    let proof = (61..<66 as Range<UInt8>).enumerated().map { number, rate in
      data([0x1B, 0x12, 0x00, 0x06, rate], at: 1_000_000 + Int64(number) * 250_000)
    }
    let log = pcapngLog([request] + held + subscription(at: 90_000) + proof, linkType: 251, .little)
    let replayed = try #require(try await replay([log]).first)
    #expect(replayed.values.map { $0.bytes[1] } == [60, 60, 61, 62, 63, 64, 65])
    #expect(replayed.marks == [[], .mayBeCopy, [], [], [], [], []])
    #expect(replayed.tally.anomalies == ["perhapsRepetition": 1])
  }

  @Test func `a sniffer's section that begins during a connection is not the connection before it`()
    async throws
  {
    let first = [
      request, data(question, at: 30_000), data(answer, at: 30_300), data(notification, at: 60_000),
    ]
    let log =
      pcapngLog(first, linkType: 251, .little)
      + pcapngLog([data(notification, at: 40_000_000)], linkType: 251, .little)
    let replayed = try #require(try await replay([log]).first)
    #expect(replayed.values.count == 1)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 1])
  }
}
