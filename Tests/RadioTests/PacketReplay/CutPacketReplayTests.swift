import Bluetooth
import PacketLog
import Testing

@testable import PacketReplay
@testable import TestSupport

/// Tests replays of logs whose recorder kept only the beginning of each packet.
@Suite struct CutPacketReplayTests {
  private typealias Writer = (name: String, write: ([LoggedPacket]) -> [UInt8])

  private static var writers: [Writer] {
    var writers: [Writer] = [
      ("btsnoop 1001", btsnoopH1Log), ("btsnoop 1002", btsnoopH4Log), ("btsnoop 2001", btsnoopMonitorLog),
      // These formats have no field for the original length, so the packet's own header shows that it is
      // truncated.
      ("hcidump", hciDumpLog), ("monitor stream", { monitorStreamLog($0.sinceTheFirst) }),
      ("btsnooz 1", { btsnoozLog($0, version: 1) }),
    ]
    for order in TestByteOrder.allCases {
      writers.append(("pklg \(order)", { packetLoggerLog($0, order) }))
      for linkType: UInt32 in [187, 201, 254] {
        writers += [
          ("pcap \(linkType) \(order)", { pcapLog($0, linkType: linkType, order) }),
          ("pcapng \(linkType) \(order)", { pcapngLog($0, linkType: linkType, order) }),
        ]
      }
    }
    return writers
  }

  private func replay(_ log: [UInt8], named handle: UInt16? = nil) async throws -> Replayed {
    let folder = try TemporaryFolder()
    return try await Replayed(
      PacketReplayCentral(path: folder.file("log", log), measurementHandle: handle))
  }

  private func story(_ replayed: Replayed) -> [String] {
    replayed.events.compactMap { event in
      switch event {
      case .notified(let notification):
        "\(notification.value)\(notification.marks.contains(.truncated) ? " cut" : "")"
      case .gapBegan(.address(StrapPackets.strap), .overflow, _): "missed"
      case .gapBegan(_, .overflow, _): "missed of another"
      default: nil
      }
    }
  }

  private func session(cutTo length: Int) -> [LoggedPacket] {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure([60, 61])
    session.cutLast(to: length)
    session.measure([62])
    return session.packets
  }

  /// The number of bytes of ACL header, L2CAP header, opcode, handle, flags, rate and interval that are kept.
  @Test(arguments: [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14])
  func `a truncated notification is used in part and reported, in each container`(length: Int)
    async throws
  {
    let expected = length < 11 ? "missed" : ["", "16", "163d", "163d00"][length - 11] + " cut"
    for (name, write) in Self.writers {
      let replayed = try await replay(write(session(cutTo: length)))
      // If the connection handle is truncated, any link may have lost a value.
      #expect(story(replayed) == ["163c0004", expected, "163e0004"], "\(name), \(length) bytes")
      #expect(replayed.tally.truncatedRecords == 1, "\(name), \(length) bytes")
      #expect(replayed.tally.anomalies == ["truncatedPacket": 1], "\(name), \(length) bytes")
      #expect(replayed.tally.notifications == (length < 11 ? 2 : 3))
    }
  }

  @Test func `flags and length of a truncated value can prove its handle`() async throws {
    var session = StrapPackets()
    session.connect()
    session.host([0x12, 0x13, 0x00, 0x01, 0x00])
    session.peer([0x13])
    for rate in 60..<66 as Range<UInt8> {
      session.measure([rate])
      session.cutLast(to: 13)
    }
    let replayed = try await replay(btsnoopH4Log(session.packets))
    #expect(replayed.values.map(\.bytes) == (60..<66).map { [0x16, $0] })
    #expect(replayed.tally.inferred.map(\.reason) == [.clientConfiguration])
    #expect(replayed.tally.truncatedRecords == 6)
  }

  @Test(
    arguments: [
      // Values that are not Heart Rate Measurement: speed and cadence, a wrong length of intervals, an
      // impossible rate.
      [0x03, 60, 0, 0, 0, 1, 2], [0x16, 60, 0, 4, 1], [0x16, 255, 0, 4],
    ] as [[UInt8]])
  func `a truncated value proves nothing if the whole cannot be a heart rate`(value: [UInt8]) async throws {
    var session = StrapPackets()
    session.connect()
    session.host([0x12, 0x13, 0x00, 0x01, 0x00])
    session.peer([0x13])
    for _ in 0..<8 {
      session.peer([0x1B, 0x12, 0x00] + value)
      session.cutLast(to: 13)
    }
    let replayed = try await replay(btsnoopH4Log(session.packets))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.plausible.isEmpty)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: StrapPackets.strap, handle: 0x12): 8])
  }

  @Test func `a missed value among held ones is reported at its position`() async throws {
    var session = StrapPackets()
    session.connect()
    session.measure([60, 61])
    session.cutLast(to: 8)
    session.measure([62])
    session.declareMeasurement()
    session.measure([63])
    let replayed = try await replay(btsnoopH4Log(session.packets))
    #expect(story(replayed).suffix(4) == ["163c0004", "missed", "163e0004", "163f0004"])

    // A packet that the recorder dropped has the same effect as a truncated one.
    session = StrapPackets()
    session.connect()
    session.measure([60, 61])
    session.declareMeasurement()
    var log = btsnoopLog(datalink: 1001)
    for (place, packet) in session.packets.enumerated() {
      log += btsnoopRecord(
        flags: place == 0 ? 3 : place == 3 ? 0 : 1, drops: place > 1 ? 1 : 0,
        at: packet.time.microsecondsSince1970, packet.bytes)
    }
    #expect(story(try await replay(log)) == ["163c0004", "missed", "163d0004"])
  }

  /// Access address, PDU header, L2CAP header, opcode and handle take 13 bytes.
  @Test(arguments: 0...16)
  func `the beginning of a truncated notification is used in air captures`(length: Int) async throws {
    let expected = length < 13 ? "missed" : ["", "16", "163d", "163d00"][length - 13] + " cut"
    let packets = airPackets(cutTo: length)
    for order in TestByteOrder.allCases {
      for log in [pcapLog(packets, linkType: 256, order), pcapngLog(packets, linkType: 256, order)] {
        let replayed = try await replay(log)
        #expect(story(replayed) == ["163c0004", expected, "163e0004"], "\(order)")
        #expect(replayed.tally.truncatedRecords == 1, "\(order)")
      }
    }
  }

  /// Returns a log with one truncated record. `index` does not count the capture's own header.
  private func log(
    _ packets: [LoggedPacket], linkType: UInt32, truncating index: Int, to length: Int
  ) throws -> [UInt8] {
    var log = pcapHeader(linkType: linkType)
    for (place, packet) in packets.enumerated() {
      let frame = try #require(linkTypeFrame(packet, linkType: linkType))
      let seconds = UInt32(packet.time.microsecondsSince1970 / 1_000_000)
      let kept = place == index ? Array(frame.prefix(length)) : frame
      log += pcapRecord(seconds, 0, kept, originalLength: frame.count)
    }
    return log
  }

  @Test(arguments: [(187, 1), (201, 5), (254, 4), (251, 4), (256, 14)] as [(UInt32, Int)])
  func `a packet truncated in the capture's header is a loss`(linkType: UInt32, header: Int) async throws {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure([60, 61, 62])
    let isAir = linkType == 251 || linkType == 256
    let packets = isAir ? airPackets(cutTo: nil) : session.packets
    for length in 0...header {
      let replayed = try await replay(
        log(packets, linkType: linkType, truncating: packets.count - 2, to: length))
      #expect(story(replayed) == ["163c0004", "missed", "163e0004"], "\(length) bytes")
      #expect(replayed.tally.truncatedRecords == 1 && replayed.tally.anomalies == ["truncatedPacket": 1])
    }
  }

  @Test func `an H4 packet without any byte is a loss if the flags say data`() async throws {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure([60, 61, 62])
    for (flags, expected) in [(1, ["163c0004", "missed", "163e0004"]), (3, ["163c0004", "163e0004"])]
      as [(UInt32, [String])]
    {
      var log = btsnoopLog(datalink: 1002)
      for (place, packet) in session.packets.enumerated() {
        let isData = place > 0
        let bytes = [isData ? 2 : 4] + packet.bytes
        let isKept = place != session.packets.count - 2
        log += btsnoopRecord(
          flags: isKept ? (isData ? (place == 1 ? 0 : 1) : 3) : flags,
          at: packet.time.microsecondsSince1970, isKept ? bytes : [], originalLength: bytes.count)
      }
      let replayed = try await replay(log)
      #expect(story(replayed) == expected)
      #expect(replayed.tally.truncatedRecords == 1)
    }
  }

  @Test func `a packet from the air without its CRC is complete`() async throws {
    let packets = airPackets(cutTo: nil)
    let length = 10 + packets[4].bytes.count
    for kept in length...length + 3 {
      let replayed = try await replay(log(packets, linkType: 256, truncating: 4, to: kept))
      #expect(story(replayed) == ["163c0004", "163d0004", "163e0004"])
      #expect(replayed.tally.truncatedRecords == 0 && replayed.tally.anomalies.isEmpty)
    }
  }

  /// A connection with a discovery and three measurements. The second one may be truncated.
  private func airPackets(cutTo length: Int?) -> [LoggedPacket] {
    let address: [UInt8] = [0x78, 0x56, 0x34, 0x12]
    let peers: [UInt8] = [1, 2, 3, 4, 5, 6, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
    let request =
      [0x85, 34] + peers + address + [0, 0, 0, 0, 0, 0, 24, 0] + [UInt8](repeating: 0, count: 10)
    let pdus: [[UInt8]] = [
      [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x37, 0x2A],
      [0x1B, 0x12, 0, 0x16, 60, 0, 4], [0x1B, 0x12, 0, 0x16, 61, 0, 4], [0x1B, 0x12, 0, 0x16, 62, 0, 4],
    ]
    var packets = [
      LoggedPacket(
        SamplePackets.air(.valid, nil), at: StrapPackets.start, SamplePackets.advertisingAddress + request)
    ]
    for (place, pdu) in pdus.enumerated() {
      let sequence: UInt8 = place > 1 && place % 2 == 1 ? 0b1000 : 0
      let bytes = address + [0b10 | sequence, UInt8(pdu.count + 4), UInt8(pdu.count), 0, 4, 0] + pdu
      var packet = LoggedPacket(
        SamplePackets.air(.valid, place == 0 ? .central : .peripheral),
        at: StrapPackets.start + Int64(place + 1) * 1_000_000, bytes)
      if place == 3, let length {
        packet.originalLength = bytes.count
        packet.bytes = Array(bytes.prefix(length))
      }
      packets.append(packet)
    }
    return packets
  }

  // MARK: - Unsupported packets

  @Test func `unsupported packets are counted for their peer, and a value among them is missed`() async throws
  {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure([60])
    let frames: [[UInt8]] = [
      [14, 0, 5, 0, 0x17, 7, 10, 0, 0x27, 0, 64, 0, 64, 0, 9, 0, 0x41, 0],
      [9, 0, 0x41, 0, 7, 0, 0x1B, 0x12, 0, 0x16, 61, 0, 4], [3, 0, 0x60, 0, 1, 2, 3],
    ]
    var packets = session.packets
    for frame in frames {
      packets.append(
        LoggedPacket(.aclReceived(), at: session.now, [0x40, 0x20, UInt8(frame.count), 0] + frame))
    }
    var later = StrapPackets(from: 5)
    later.peer([0x2B, 1, 2])
    later.measure([62])
    let replayed = try await replay(btsnoopMonitorLog(packets + later.packets))
    #expect(story(replayed) == ["163c0004", "missed", "163e0004"])
    let counts = ["enhancedAttributeFrame": 1, "channelFrame": 1, "unknownOpcode": 1]
    #expect(replayed.tally.unread.mapValues(\.byName) == [.address(StrapPackets.strap): counts])
    #expect(replayed.tally.anomalies == counts)
    #expect(replayed.tally.heartRatePeers == [.address(StrapPackets.strap)])
  }
}
