import Foundation
import PacketLog
import Testing

@testable import TestSupport

/// Tests files that are longer than the buffer, and sources that deliver small pieces.
struct ByteSourceTests {
  /// Records of many lengths that fill three buffers, so that records cross each refill.
  private static let long: [UInt8] = {
    var generator = SeededGenerator(seed: 3)
    return btsnoopMonitorLog(
      (0..<12_000).map { index in
        let length = Int.random(in: 0...200, using: &generator)
        return LoggedPacket(
          .aclReceived(), at: Int64(index), [UInt8](repeating: UInt8(index % 251), count: length))
      })
  }()

  @Test func `a file longer than the buffer is read as in memory`() throws {
    #expect(Self.long.count > 3 * 512 * 1024 / 2)
    try withTemporaryPath { path in
      try Data(Self.long).write(to: URL(fileURLWithPath: path))
      let reader = try PacketLogFile.open(path: path)
      #expect(reader.totalBytes == Int64(Self.long.count))
      #expect(RecordedLog(reader) == RecordedLog(Self.long))
    }
  }

  @Test func `a slow pipe is read as in memory`() throws {
    let log = Array(Self.long.prefix(40_000))
    try withTemporaryPath { path in
      #expect(mkfifo(path, 0o600) == 0)
      let writer = Thread {
        let descriptor = open(path, O_WRONLY)
        var rest = log[...]
        while !rest.isEmpty {
          let piece = Array(rest.prefix(7))
          guard write(descriptor, piece, piece.count) == piece.count else { break }
          rest = rest.dropFirst(7)
        }
        close(descriptor)
      }
      writer.start()
      let reader = try PacketLogFile.open(path: path)
      #expect(reader.totalBytes == nil)
      #expect(RecordedLog(reader) == RecordedLog(log))
    }
  }

  @Test func `a block longer than the buffer is skipped`() throws {
    let command: [UInt8] = [1, 3, 12, 0]
    let log =
      pcapngSection() + pcapngInterface(linkType: 187)
      + pcapngBlock(0x0BAD, [UInt8](repeating: 6, count: 3 << 20))
      + pcapngEnhancedPacket(timestamp: 1, command)
    try withTemporaryPath { path in
      try Data(log).write(to: URL(fileURLWithPath: path))
      #expect(RecordedLog(try PacketLogFile.open(path: path)) == RecordedLog(log))
      try Data(log.prefix(2 << 20)).write(to: URL(fileURLWithPath: path))
      let cut = RecordedLog(try PacketLogFile.open(path: path))
      #expect(cut.damage == PacketLogError(.truncated, offset: 52))
    }
  }
}
