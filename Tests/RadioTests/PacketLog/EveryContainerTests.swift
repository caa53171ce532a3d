import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

/// Tests that the same packets are read from each container format that supports them.
struct EveryContainerTests {
  struct Container: CustomTestStringConvertible {
    let testDescription: String
    let format: PacketLogFormat
    let packets: [LoggedPacket]
    let log: [UInt8]
    var expected: [LoggedPacket]?
  }

  static let containers: [Container] = {
    let few = SamplePackets.commandEventACL
    let all = SamplePackets.allTypes
    var containers = [
      Container(testDescription: "btsnoop 1001", format: .btsnoopH1, packets: few, log: btsnoopH1Log(few)),
      Container(testDescription: "btsnoop 1002", format: .btsnoopH4, packets: all, log: btsnoopH4Log(all)),
      Container(
        testDescription: "btsnoop 2001", format: .btsnoopMonitor, packets: all, log: btsnoopMonitorLog(all)),
    ]
    for order in TestByteOrder.allCases {
      containers.append(
        Container(
          testDescription: "pklg \(order)", format: .packetLogger, packets: all,
          log: packetLoggerLog(all, order)))
      for linkType: UInt32 in [187, 201, 254] {
        let expected = linkType == 187 ? all.withoutStatedDirections : all
        for nanoseconds in [false, true] {
          containers.append(
            Container(
              testDescription: "pcap \(linkType) \(order) \(nanoseconds ? "ns" : "µs")", format: .pcap,
              packets: all,
              log: pcapLog(all, linkType: linkType, order, nanoseconds: nanoseconds), expected: expected))
        }
        containers.append(
          Container(
            testDescription: "pcapng \(linkType) \(order)", format: .pcapng, packets: all,
            log: pcapngLog(all, linkType: linkType, order), expected: expected))
      }
      containers.append(
        Container(
          testDescription: "pcap 256 \(order)", format: .pcap, packets: SamplePackets.linkLayer,
          log: pcapLog(SamplePackets.linkLayer, linkType: 256, order)))
    }
    let unchecked = SamplePackets.linkLayer.prefix(1)
    containers.append(
      Container(
        testDescription: "pcap 251", format: .pcap, packets: Array(unchecked),
        log: pcapLog(Array(unchecked), linkType: 251)))
    containers.append(
      Container(testDescription: "hcidump", format: .hciDump, packets: all, log: hciDumpLog(all)))
    let early = SamplePackets.allTypes.sinceTheFirst
    containers.append(
      Container(
        testDescription: "monitor stream", format: .monitorStream, packets: early,
        log: monitorStreamLog(early)))
    return containers
  }()

  @Test(arguments: containers)
  func `its packets are read`(_ container: Container) throws {
    let reader = try PacketLogFile.open(bytes: container.log)
    #expect(reader.format == container.format)
    #expect(reader.totalBytes == Int64(container.log.count))
    let log = RecordedLog(reader)
    #expect(log.damage == nil)
    #expect(log.packets == container.expected ?? container.packets)
    #expect(log.entries.allSatisfy { !$0.record.isTruncated })
  }

  @Test(arguments: containers)
  func `offsets of records are correct`(_ container: Container) throws {
    var reader = try PacketLogFile.open(bytes: container.log)
    var offsets: [Int64] = []
    var ends: [Int64] = []
    while try reader.readRecord({ record, _ in offsets.append(record.offset) }) {
      ends.append(reader.bytesRead)
    }
    #expect(offsets == offsets.sorted() && Set(offsets).count == offsets.count)
    #expect(ends.last == Int64(container.log.count))
    #expect(Array(ends.dropLast()) == Array(offsets.dropFirst()))
  }

  @Test(arguments: containers)
  func `a log that is truncated anywhere gives its beginning and an error`(_ container: Container) {
    let whole = RecordedLog(container.log)
    // A log may end after any record, but not within the headers before the first record.
    let offsets = whole.entries.map { Int($0.record.offset) }
    let ends = Set(offsets.dropFirst() + [container.log.count])
    for length in 0..<container.log.count {
      let cut = RecordedLog(Array(container.log.prefix(length)))
      #expect(cut.entries == Array(whole.entries.prefix(cut.entries.count)))
      switch cut.damage?.code {
      case nil: #expect(ends.contains(length) || length <= offsets[0], "cut at \(length)")
      case .truncated: break
      case .empty: #expect(length == 0)
      // Formats without a magic number cannot be recognized by so few bytes.
      case .notAPacketLog:
        #expect(
          length < 13 && [.packetLogger, .hciDump].contains(container.format)
            || length < 6 && container.format == .monitorStream
        )
      case let code: Issue.record("cut at \(length): \(String(describing: code))")
      }
    }
  }

  @Test(arguments: containers)
  func `a snap length is reported as truncation`(_ container: Container) {
    var packets = container.packets
    guard packets.count > 1,
      ![.packetLogger, .hciDump, .monitorStream].contains(container.format)
    else { return }
    packets[1].originalLength = packets[1].bytes.count + 40
    let log: [UInt8] =
      switch container.format {
      case .btsnoopH1: btsnoopH1Log(packets)
      case .btsnoopH4: btsnoopH4Log(packets)
      case .btsnoopMonitor: btsnoopMonitorLog(packets)
      case .pcapng: pcapngLog(packets, linkType: 254)
      default: pcapLog(packets, linkType: 254)
      }
    let flags = RecordedLog(log).entries.map(\.record.isTruncated)
    if !flags.isEmpty { #expect(flags == packets.indices.map { $0 == 1 }) }
  }
}
