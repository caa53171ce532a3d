import Bluetooth
import Foundation
import PacketLog
import Testing

@testable import TestSupport

struct BTSnoopWriterTests {
  @Test func `a written log is read back`() throws {
    let packets = SamplePackets.allTypes.map { packet in
      var packet = packet
      if case .hci(let type, let direction, _) = packet.content {
        packet.content = .hci(type, direction: direction, controller: 5)
      }
      return packet
    }
    try withTemporaryPath { path in
      let writer = try BTSnoopWriter(path: path)
      for packet in packets { try writer.append(packet) }
      let length = writer.bytesWritten
      try writer.close()
      try writer.close()
      let reader = try PacketLogFile.open(path: path)
      #expect(reader.format == .btsnoopMonitor)
      #expect(reader.totalBytes == length)
      #expect(RecordedLog(reader).packets == packets)
    }
  }

  @Test func `a log of many buffers is read back`() throws {
    var generator = SeededGenerator(seed: 7)
    let packets = (0..<20_000).map { index in
      let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      return LoggedPacket(.aclReceived(), at: Int64(index) * 1000, bytes)
    }
    try withTemporaryPath { path in
      let writer = try BTSnoopWriter(path: path)
      for packet in packets { try writer.append(packet) }
      try writer.close()
      #expect(RecordedLog(try PacketLogFile.open(path: path)).packets == packets)
    }
  }

  @Test func `the longest packets are read back`() throws {
    let packets = [65_552, 1, 65_552, 65_552, 0, 65_000].map { count in
      LoggedPacket(.aclSent(), at: 1, [UInt8](repeating: UInt8(count % 251), count: count))
    }
    try withTemporaryPath { path in
      let writer = try BTSnoopWriter(path: path)
      for packet in packets { try writer.append(packet) }
      try writer.close()
      #expect(RecordedLog(try PacketLogFile.open(path: path)).packets == packets)
    }
  }

  @Test func `abandoning the writer writes its buffer`() throws {
    try withTemporaryPath { path in
      do {
        let writer = try BTSnoopWriter(path: path)
        try writer.append(SamplePackets.commandEventACL[0])
      }
      #expect(RecordedLog(try PacketLogFile.open(path: path)).packets == [SamplePackets.commandEventACL[0]])
    }
  }

  @Test func `records about controllers have the right layout`() throws {
    let address = try #require(BluetoothAddress("00:11:22:33:44:55", kind: .publicDevice))
    let time = ReceiptTime(microsecondsSince1970: 77)
    try withTemporaryPath { path in
      let writer = try BTSnoopWriter(path: path)
      try writer.appendNewIndex(1, address: address, name: "hci1", time: time)
      try writer.appendNewIndex(1, address: address, name: "much too long", time: time)
      try writer.appendOpenIndex(1, time: time)
      try writer.appendIndexInformation(1, address: address, manufacturer: 0x0102, time: time)
      try writer.appendCloseIndex(1, time: time)
      try writer.appendDeleteIndex(1, time: time)
      try writer.close()
      let bytes: [UInt8] = [0x55, 0x44, 0x33, 0x22, 0x11, 0x00]
      let reset = PacketLogRecord.Content.controllerReset(1)
      #expect(
        RecordedLog(try PacketLogFile.open(path: path)).packets == [
          LoggedPacket(reset, at: 77, [0, 0] + bytes + Array("hci1".utf8) + [0, 0, 0, 0]),
          LoggedPacket(reset, at: 77, [0, 0] + bytes + Array("much too".utf8)),
          LoggedPacket(reset, at: 77, []),
          LoggedPacket(.other, at: 77, bytes + [0x02, 0x01]),
          LoggedPacket(reset, at: 77, []),
          LoggedPacket(reset, at: 77, []),
        ])
    }
  }

  @Test func `a new log is accessible by its owner only`() throws {
    try withTemporaryPath { path in
      try BTSnoopWriter(path: path).close()
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a path that cannot be created is an I/O error`() {
    #expect(throws: PacketLogError(.io(ENOENT), offset: 0)) {
      _ = try BTSnoopWriter(path: "/nonexistent/directory/log")
    }
  }

  @Test func `a full disk is an I/O error`() throws {
    let writer = try BTSnoopWriter(path: "/dev/full")
    #expect(throws: PacketLogError(.io(ENOSPC), offset: 0)) { try writer.flush() }
    #expect(throws: PacketLogError(.io(ENOSPC), offset: 0)) { try writer.close() }
  }

  @Test func `records that no reader accepts are rejected`() throws {
    try withTemporaryPath { path in
      let writer = try BTSnoopWriter(path: path)
      #expect(throws: PacketLogError(.absurdLength(70_000), offset: 16)) {
        try writer.append(
          .aclData, direction: .hostToController, time: ReceiptTime(microsecondsSince1970: 0),
          [UInt8](repeating: 0, count: 70_000))
      }
      try writer.close()
      #expect(throws: PacketLogError(.io(EBADF), offset: 16)) {
        try writer.appendOpenIndex(0, time: ReceiptTime(microsecondsSince1970: 0))
      }
    }
  }
}

extension BTSnoopWriter {
  fileprivate func append(_ packet: LoggedPacket) throws {
    guard case .hci(let type, let direction?, let controller) = packet.content else { return }
    try append(type, direction: direction, controller: controller, time: packet.time, packet.bytes)
  }
}
