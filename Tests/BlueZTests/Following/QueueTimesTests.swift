import Bluetooth
import BluetoothCentral
import Testing

@testable import BlueZ

/// The times of what had waited for bluetoothd, where it comes by pieces.
@Suite struct QueueTimesTests {
  /// By a strap that measures each second: the last before the stop is of second 100.
  private static func stopped() -> QueueTimes {
    var times = QueueTimes()
    #expect(times.receive([passed(100)], period: .seconds(1)).count == 1)
    times.expectQueue(
      period: .seconds(1), QueueTimes.Stop(lastWord: boot(100), end: boot(120)))
    return times
  }

  private static func boot(_ second: Double) -> BootTime { BootTime(nanoseconds: UInt64(second * 1e9)) }

  private static func passed(_ second: Double) -> DuplicateFilter.Passed {
    DuplicateFilter.Passed(
      value: DuplicateFilter.Value(
        octets: [0, 60],
        receipt: Receipt(
          boot: boot(second), time: ReceiptTime(microsecondsSince1970: Int64(second * 1e6)), place: nil)))
  }

  private static func seconds(_ made: [QueueTimes.Made]) -> [Double] {
    made.map { Double($0.time.microsecondsSince1970) / 1e6 }
  }

  @Test func `a pause in the middle of a queue is not its end`() {
    var times = Self.stopped()
    let pieces = [120.0, 120.1, 120.2, 120.9, 121.0, 121.05, 121.7, 121.75]
    var made: [QueueTimes.Made] = []
    for second in pieces { made += times.receive([Self.passed(second)], period: .seconds(1)) }
    made += times.end()
    #expect(Self.seconds(made) == (101...108).map(Double.init))
    #expect(made.allSatisfy { $0.isConcluded && $0.missing == .zero })
  }

  @Test(arguments: [true, false])
  func `one after a pause, and none close behind it, came in time: what is missing was lost`(
    isFlushed: Bool
  ) {
    var times = Self.stopped()
    var made: [QueueTimes.Made] = []
    for second in [120.0, 120.125, 120.75] {
      made += times.receive([Self.passed(second)], period: .seconds(1))
    }
    // The newest one may have been made after bluetoothd went on.
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

  @Test func `what was made after bluetoothd went on is behind the loss`() {
    var times = Self.stopped()
    var made: [QueueTimes.Made] = []
    // That of second 120.5 waits while the queue is read.
    for second in [120.25, 120.5, 120.875, 121.125, 121.5, 122.5, 123.5] {
      made += times.receive([Self.passed(second)], period: .seconds(1))
    }
    #expect(Self.seconds(made) == [101, 102, 103, 120.5, 121.5, 122.5, 123.5])
    #expect(made.map(\.isAfterLoss) == [false, false, false, true, false, false, false])
    #expect(made.map(\.isConcluded) == [true, true, true, true, false, false, false])
  }

  @Test func `a queue after which nothing comes is handed on`() {
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

  @Test func `a link that ends, or a clock that is set, leaves nothing held`() {
    var ending = Self.stopped()
    var reset = Self.stopped()
    for second in [120.0, 121.0] {
      _ = ending.receive([Self.passed(second)], period: .seconds(1))
      _ = reset.receive([Self.passed(second)], period: .seconds(1))
    }
    #expect(Self.seconds(ending.end()) == [101, 121])
    #expect(Self.seconds(reset.end()) == [101, 121])
    reset.beginAnew()
    #expect(ending.deadline == nil && reset.deadline == nil)
  }
}
