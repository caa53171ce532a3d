import Bluetooth
import Testing

@testable import BlueZ

/// Tests the estimated times of values that were queued for a stopped bluetoothd and arrive in parts.
@Suite struct QueueTimesTests {
  /// Returns the state after a stop of bluetoothd. The strap measures once a second, and the last value
  /// before the stop is that of second 100.
  private static func stopped() -> QueueTimes {
    var times = QueueTimes()
    #expect(times.receive([passed(100)], period: .seconds(1)).count == 1)
    times.expectQueue(
      period: .seconds(1), QueueTimes.Stop(lastMessage: boot(100), end: boot(120)))
    return times
  }

  private static func boot(_ second: Double) -> BootTime { BootTime(nanoseconds: UInt64(second * 1e9)) }

  private static func passed(_ second: Double, number: Int = 0) -> DuplicateFilter.Passed {
    DuplicateFilter.Passed(
      value: DuplicateFilter.Value(
        attribute: [0, 60, UInt8(number >> 8), UInt8(number & 0xFF)],
        receipt: Receipt(
          boot: boot(second), time: ReceiptTime(microsecondsSince1970: Int64(second * 1e6)),
          senderPosition: nil)))
  }

  private static func seconds(_ made: [QueueTimes.Made]) -> [Double] {
    made.map { Double($0.time.microsecondsSince1970) / 1e6 }
  }

  @Test func `a pause within a queue is not its end`() {
    var times = Self.stopped()
    let pieces = [120.0, 120.1, 120.2, 120.9, 121.0, 121.05, 121.7, 121.75]
    var made: [QueueTimes.Made] = []
    for second in pieces { made += times.receive([Self.passed(second)], period: .seconds(1)) }
    made += times.end()
    #expect(Self.seconds(made) == (101...108).map(Double.init))
    #expect(made.allSatisfy { $0.isConcluded && $0.missing == .zero })
  }

  @Test(arguments: [true, false])
  func `a single value after a pause was in time, so missing values were lost`(
    isFlushed: Bool
  ) {
    var times = Self.stopped()
    var made: [QueueTimes.Made] = []
    for second in [120.0, 120.125, 120.75] {
      made += times.receive([Self.passed(second)], period: .seconds(1))
    }
    // Only the time of the first value is certain yet. The newest value may have been measured after
    // bluetoothd continued.
    #expect(Self.seconds(made) == [101])
    #expect(times.deadline == Self.boot(121.25))
    if isFlushed {
      #expect(times.flush(at: Self.boot(121.125)) == [])
      made += times.flush(at: Self.boot(121.25))
    }
    made += times.receive([Self.passed(121.75)], period: .seconds(1))
    #expect(Self.seconds(made) == [101, 102, 120.75, 121.75])
    #expect(made.map(\.isConcluded) == [true, true, false, false])
    #expect(made.map(\.missing) == [.zero, .zero, .seconds(17.75), .zero])
    #expect(made.map(\.isAfterLoss) == [false, false, true, false])
  }

  @Test func `values that were made after bluetoothd continued are behind the loss`() {
    var times = Self.stopped()
    var made: [QueueTimes.Made] = []
    // The value of second 120.5 is measured and queued while bluetoothd is still reading the queue.
    for second in [120.25, 120.5, 120.875, 121.125, 121.5, 122.5, 123.5] {
      made += times.receive([Self.passed(second)], period: .seconds(1))
    }
    #expect(Self.seconds(made) == [101, 102, 103, 120.5, 121.5, 122.5, 123.5])
    #expect(made.map(\.isAfterLoss) == [false, false, false, true, false, false, false])
    #expect(made.map(\.isConcluded) == [true, true, true, true, false, false, false])
  }

  @Test func `a queue without following values is emitted`() {
    var times = Self.stopped()
    var made: [QueueTimes.Made] = []
    for second in [120.0, 120.125] { made += times.receive([Self.passed(second)], period: .seconds(1)) }
    let deadline = times.deadline
    #expect(deadline == Self.boot(122.125))
    made += deadline.map { times.flush(at: $0) } ?? []
    #expect(Self.seconds(made) == [101, 102] && times.deadline == nil)
    made = times.receive([Self.passed(130)], period: .seconds(1))
    made += times.end()
    #expect(Self.seconds(made) == [130] && made.map(\.isAfterLoss) == [true])
  }

  /// Simulates a monitor that measures twice a second while hrgate is stopped and the clocks continue.
  ///
  /// - Parameters:
  ///   - room: The number of values that the queue can hold.
  ///   - end: When hrgate continues, in seconds after value 0.
  /// - Returns: The number of each value in order of receipt, and its result.
  private static func afterStop(until end: Double, room: Int) -> [(number: Int, made: QueueTimes.Made)] {
    var times = QueueTimes()
    var made = times.receive([passed(1000)], period: nil)
    let last = Int(end * 2) + 20
    let missed = Int(end * 2)
    var arrival = 1000 + end
    for number in (1...last) where number <= room || number > missed {
      arrival = max(arrival + 0.008, 1000 + Double(number) / 2)
      made += times.flush(at: boot(arrival))
      made += times.receive([passed(arrival, number: number)], period: .milliseconds(500))
    }
    made += times.end()
    return made.map { value in
      let bytes = value.passed.value.attribute.bytes
      return (Int(bytes[2]) << 8 | Int(bytes[3]), value)
    }
  }

  @Test(
    arguments: [(60, 93), (60, 118), (30, 20), (6, 5), (200, 300), (60, 1000), (200, 1000), (3, 1000)],
    [0.02, 0.2, 0.31, 0.48])
  func `values queued while hrgate was stopped get the monitor's pace, and lost ones become a gap`(
    stop: (seconds: Int, room: Int), phase: Double
  ) {
    let end = Double(stop.seconds) + phase
    let values = Self.afterStop(until: end, room: stop.room)
    let sent = Int(end * 2)
    let lost = max(0, sent - stop.room)
    #expect(values.map(\.number) == (0...sent + 20).filter { $0 <= stop.room || $0 > sent })
    for (number, made) in values {
      let late = Double(made.time.microsecondsSince1970) / 1e6 - 1000 - Double(number) / 2
      #expect(abs(late) < 0.15, "value \(number): \(late)")
      if number > 0, number < min(sent, stop.room) { #expect(made.isConcluded, "value \(number)") }
      // bluetoothd needs 8 ms to read each value of the queue, so new values are queued behind the old ones.
      let read = sent + min(sent, stop.room) / 60
      if number > read + 3 { #expect(!made.isConcluded, "value \(number)") }
    }
    #expect(values.filter(\.made.isAfterLoss).map(\.number) == (lost > 1 ? [sent + 1] : []))
  }

  @Test(arguments: [(3, 8), (4, 8), (8, 8), (95, 8), (8, 40), (95, 40), (140, 8)])
  func `before the pace is known, four or more values at once are a queue`(
    count: Int, milliseconds: Int
  ) {
    var times = QueueTimes()
    var made = times.receive([Self.passed(100)], period: nil)
    var second = 100.0
    for _ in 0..<count {
      second += Double(milliseconds) / 1000
      made += times.flush(at: Self.boot(second))
      made += times.receive([Self.passed(second)], period: nil)
    }
    for _ in 0..<3 {
      second += 0.9
      made += times.flush(at: Self.boot(second))
      made += times.receive([Self.passed(second)], period: nil)
    }
    made += times.end()
    #expect(made.count == count + 4)
    // More than 127 values at once, or values 40 ms apart, do not count as a queue.
    let isQueue = milliseconds < 30 && (4...127).contains(count)
    // The last value of a queue may have been measured after the machine continued, so it may not count as
    // delayed.
    let delayed = made.count { $0.isConcluded }
    #expect(isQueue ? (count - 1...count).contains(delayed) : delayed == 0)
    #expect(made.map(\.isAfterLoss).firstIndex(of: true) == (isQueue && count >= 90 ? delayed + 1 : nil))
    #expect(zip(made, made.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func `no value is held after the end of a link or a change of the clock`() {
    var ending = Self.stopped()
    var reset = Self.stopped()
    for second in [120.0, 121.0] {
      _ = ending.receive([Self.passed(second)], period: .seconds(1))
      _ = reset.receive([Self.passed(second)], period: .seconds(1))
    }
    #expect(Self.seconds(ending.end()) == [101, 121])
    #expect(Self.seconds(reset.end()) == [101, 121])
    reset.clear()
    #expect(ending.deadline == nil && reset.deadline == nil)
  }
}
