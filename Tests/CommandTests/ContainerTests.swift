import Bluetooth
import Foundation
import PacketLog
import Testing

@testable import TestSupport

/// Tests that the same session in every packet log format gives byte-identical samples.
@Suite struct ContainerTests {
  @Test(
    arguments: Recordings.sessions.prefix(isLongRun ? .max : 1).map { Recordings.path("\($0).btsnoop") }
      + PublishedRecordings.present("real-cardiosport.1002.btsnoop"))
  func `pcap, pcapng, pklg and btsnoop give byte-identical samples`(log: String) throws {
    let folder = try TemporaryFolder()
    let packets = try hciPackets(of: log)
    let containers: [(String, [UInt8])] = [
      ("h1", btsnoopH1Log(packets)), ("h4", btsnoopH4Log(packets)), ("monitor", btsnoopMonitorLog(packets)),
      ("pcap187", pcapLog(packets, linkType: 187)), ("pcap201", pcapLog(packets, linkType: 201)),
      ("pcap254", pcapLog(packets, linkType: 254)), ("big", pcapLog(packets, linkType: 201, .big)),
      ("nanoseconds", pcapLog(packets, linkType: 201, nanoseconds: true)),
      ("pcapng201", pcapngLog(packets, linkType: 201)), ("pcapng254", pcapngLog(packets, linkType: 254)),
      ("pklg1", packetLoggerLog(packets, .big)), ("pklg2", packetLoggerLog(packets, .little)),
    ]
    let original = try Command.samples(of: log)
    #expect(original.count > 1000)
    for (name, bytes) in containers {
      let path = try folder.file(name, bytes)
      #expect(try Command.samples(of: path) == original, "\(log) as \(name)")
    }
  }

  private func hciPackets(of log: String) throws -> [LoggedPacket] {
    var reader = try PacketLogFile.open(path: log)
    var packets: [LoggedPacket] = []
    while try reader.readRecord({ record, bytes in
      guard case .hci = record.content else { return }
      packets.append(
        LoggedPacket(record.content, at: record.time.microsecondsSince1970, bytes.copiedBytes()))
    }) {}
    return packets
  }
}
