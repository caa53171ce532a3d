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
    #expect(Self.seconds(made) == (101...108).map(Double.init))
    #expect(made.allSatisfy { $0.isConcluded && $0.missing == .zero })
  }

  @Test(arguments: [true, false])
  func `one after a pause, and none close behind it, came in time: what is missing was lost`(
    isFlushed: Bool
  ) {
    var times = Self.stopped()
    var made: [QueueTimes.Made] = []
    for second in [120.0, 120.1, 121.0] {
      made += times.receive([Self.passed(second)], period: .seconds(1))
    }
    #expect(Self.seconds(made) == [101, 102])
    #expect(times.deadline == Self.boot(121.5))
    if isFlushed {
      #expect(times.flush(at: Self.boot(121.4)) == [])
      made += times.flush(at: Self.boot(121.5))
    }
    made += times.receive([Self.passed(122)], period: .seconds(1))
    #expect(Self.seconds(made) == [101, 102, 121, 122])
    #expect(made.map(\.isConcluded) == [true, true, false, false])
    #expect(made.map(\.missing) == [.zero, .zero, .seconds(18), .zero])
  }

  @Test func `a link that ends, or a clock that is set, leaves nothing held`() {
    var ending = Self.stopped()
    var reset = Self.stopped()
    for second in [120.0, 121.0] {
      _ = ending.receive([Self.passed(second)], period: .seconds(1))
      _ = reset.receive([Self.passed(second)], period: .seconds(1))
    }
    #expect(Self.seconds(ending.end()) == [121])
    reset.beginAnew()
    #expect(Self.seconds(reset.end()) == [121])
    #expect(ending.deadline == nil && reset.deadline == nil)
  }
}
