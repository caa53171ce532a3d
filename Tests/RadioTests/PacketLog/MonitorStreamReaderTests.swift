import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

struct MonitorStreamReaderTests {
  private func times(_ ticks: [UInt32]) -> [Int64] {
    RecordedLog(ticks.flatMap { monitorMessage(opcode: 3, extended: monitorTimestamp($0), [1]) })
      .entries.map(\.record.time.microsecondsSince1970)
  }

  @Test func `a tick is a tenth of a millisecond`() {
    #expect(times([0, 1, 10_000]) == [0, 100, 1_000_000])
  }

  @Test func `time continues when the counter wraps around`() {
    #expect(
      times([.max - 1, .max, 0, 5]) == [429_496_729_400, 429_496_729_500, 429_496_729_600, 429_496_730_100])
    #expect(times([100, 90]) == [10_000, 9_000])
  }

  @Test func `a message without a time has the one of the message before`() {
    let log = RecordedLog(
      monitorMessage(opcode: 3, extended: monitorTimestamp(7), [1])
        + monitorMessage(opcode: 2, extended: [], [2]))
    #expect(log.packets == [LoggedPacket(.event(), at: 700, [1]), LoggedPacket(.command(), at: 700, [2])])
  }

  @Test(arguments: 1...7 as ClosedRange<UInt8>)
  func `each kind of drop is a loss`(_ type: UInt8) {
    let log = RecordedLog(
      monitorMessage(opcode: 5, extended: [type, 0] + monitorTimestamp(1), [1])
        + monitorMessage(opcode: 5, extended: [type, 3] + monitorTimestamp(2), [2]))
    #expect(log.contents == [.aclReceived(), .lost(controller: nil), .aclReceived()])
    #expect(log.entries.map(\.bytes) == [[1], [], [2]])
  }

  @Test func `an extension of unknown type does not hide the packet`() {
    let log = RecordedLog(
      monitorMessage(opcode: 3, extended: monitorTimestamp(7), [0])
        + monitorMessage(opcode: 3, extended: monitorTimestamp(7), [1])
        + monitorMessage(opcode: 3, extended: [0x77, 1, 2], [2])
        + monitorMessage(opcode: 3, extended: [8, 1], [3]))
    #expect(log.entries.map(\.bytes) == [[0], [1], [2], [3]] && log.damage == nil)
  }

  @Test func `inconsistent lengths end the stream`() {
    let sound = (0..<2).flatMap { monitorMessage(opcode: 3, extended: monitorTimestamp(UInt32($0)), [1]) }
    let log = RecordedLog(sound + [4, 0, 3, 0, 0, 9, 0, 0, 0, 0])
    #expect(log.entries.count == 2)
    #expect(
      log.damage
        == PacketLogError(
          .malformed("the lengths in a monitor message do not match"), offset: Int64(sound.count)))
  }
}
