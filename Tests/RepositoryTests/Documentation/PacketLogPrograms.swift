import Bluetooth
import Foundation
import PacketLog
import PacketReplay
import StrapSimulator
import Testing

@testable import TestSupport

/// Code blocks of the docstrings of `PacketLog`, `PacketReplay` and `StrapSimulator`. Blocks that name a file
/// are compiled but not run.
@Suite struct PacketLogPrograms {
  /// Returns the bytes of a log with one packet.
  private static func log() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "session.btsnoop").path
    let writer = try BTSnoopWriter(path: path)
    try writer.append(
      .event, direction: .controllerToHost, time: ReceiptTime(microsecondsSince1970: 0),
      HCIEventPacket.disconnectionComplete(handle: 0x0040, reason: 0x13))
    try writer.close()
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  @Test func `a log is read record by record`() throws {
    let bytes = try Self.log()
    var log: any PacketLogReader = try PacketLogFile.open(bytes: bytes)
    var events = 0
    while try log.readRecord({ record, _ in
      if case .hci(.event, _, _) = record.content { events += 1 }
    }) {}
    print(log.format, events)
    #expect(log.format == .btsnoopMonitor)
    #expect(events == 1)
  }

  @Test func `parts of a recording have numbers`() {
    let path = NumberedLog.path(2, of: "gym.btsnoop", digits: 3)  // gym-002.btsnoop
    #expect(path == "gym-002.btsnoop")
  }

  @Test func `packets are encoded`() {
    let pdu = AttributePDU.notification(0x0012, [0x00, 72])
    let packet = ACLPacket.attribute(pdu, on: 0x0040, .controllerToHost)
    #expect(packet.suffix(5) == [0x1B, 0x12, 0x00, 0x00, 72])
    let command = HCICommandPacket.leSetScanEnable(true)
    let response = HCIEventPacket.commandComplete(of: command)
    #expect(response.first == 0x0E)
  }

  @Test func `a simulated strap is found and sends measurements`() async throws {
    let radio = SimulatedRadio(straps: [.sample(index: 0)])
    let facts = try await radio.pair("Strap 1", bonding: .none, dialogue: NoPairingDialogue()) { step in
      print(step)
    }
    print(facts.address, facts.battery ?? 0)
    #expect(facts.name == "Strap 1")
    let central = SimulatedCentral(
      straps: [StrapProfile.sample(index: 0)], duration: .seconds(60), seed: 1,
      start: ReceiptTime(microsecondsSince1970: 1_767_225_600_000_000))
    for try await batch in central.events() {
      print(batch.count)
    }
  }

  // MARK: - Compiled, not run

  private func write() throws {
    do {
      let writer = try BTSnoopWriter(path: "session.btsnoop")
      let packet = HCIEventPacket.disconnectionComplete(handle: 0x0040, reason: 0x13)
      try writer.append(
        .event, direction: .controllerToHost, time: ReceiptTime(microsecondsSince1970: 1_764_400_000_000_000),
        packet)
      try writer.close()
    }
    let writer = try PCAPWriter(path: "air.pcap")
    try writer.append(
      [0x42, 0x18, 0x5A, 0x50, 0x01, 0x00], from: .central,
      time: ReceiptTime(microsecondsSince1970: 1_764_400_000_000_000))
    try writer.close()
    let summary = try StrapLog.write(
      to: "gym.btsnoop", straps: [StrapProfile.sample(index: 0)], duration: .seconds(60), seed: 1,
      start: ReceiptTime(microsecondsSince1970: 1_767_225_600_000_000))
    print(summary.notifications)
  }

  private func read() async throws {
    do {
      var log = try PacketLogFile.open(path: "session.btsnoop")
      while try log.readRecord({ record, bytes in print(record.time, bytes.byteCount) }) {}
    }
    do {
      var log = try PacketLogFile.open(path: "session.btsnoop")
      while try log.readRecord({ record, _ in print(record.offset) }) {}
    } catch {
      print(error.code.name, error.offset)
    }
    for member in PacketLogFile.members(ofArchiveAt: "logs.zip") {
      let log = try PacketLogFile.open(path: "logs.zip", member: member)
      print(member, log.format)
    }
    let replay = PacketReplayCentral(path: "recording.btsnoop")
    for try await batch in replay.events() {
      print(batch.count)
    }
    print(replay.tally.notifications)
  }

  private func observe(_ peer: BluetoothAddress) throws {
    do {
      var log = try PacketLogFile.open(path: "air.pcapng")
      var observer = LinkLayerObserver()
      while try log.readRecord({ record, bytes in
        guard case .linkLayer(let reception) = record.content else { return }
        observer.observe(bytes, reception: reception, time: record.time) { print($0) }
      }) {}
    }
    var log = try PacketLogFile.open(path: "session.btsnoop")
    var observer = HCIObserver()
    while try log.readRecord({ record, bytes in
      guard case .hci(let type, let direction, let controller) = record.content else { return }
      observer.observe(bytes, type: type, direction: direction, controller: controller) { print($0) }
    }) {}
    if let map = observer.map(for: peer), map.characteristic(at: 0x0012) == .heartRateMeasurement {
      print("0x0012 is the handle of the heart rate")
    }
  }

  static func strapEvents() {
    var events = StrapEvents(StrapProfile.sample(index: 0), seed: 1)
    while let event = events.next() {
      print(event.offset, event.link)
    }
  }
}
