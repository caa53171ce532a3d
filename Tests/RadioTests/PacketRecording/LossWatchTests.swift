import Bluetooth
import Testing

@testable import PacketLog
@testable import PacketRecording

@Suite struct LossWatchTests {
  private func time(_ seconds: Int64) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: seconds * 1_000_000)
  }

  @Test func `queued packets precede the loss, and packets after the next read follow it`() {
    var watch = LossWatch()
    watch.note(drops: 0, readAt: time(1))
    var losses = [watch.isLoss(before: time(1))]
    // The recorder was stopped until second 10, and then reads the packets of second 2 and later.
    for second in 2...12 as ClosedRange<Int64> {
      watch.note(drops: 7, readAt: time(max(10, second)))
      losses.append(watch.isLoss(before: time(second)))
    }
    let loss = losses.firstIndex(of: true)
    #expect(loss == 9 && losses.count { $0 } == 1)
  }

  @Test func `each loss is reported, also if the wall clock is set back`() {
    var watch = LossWatch()
    watch.note(drops: 1, readAt: time(10))
    watch.note(drops: 2, readAt: time(20))
    var losses: [Bool] = []
    for second in [15, 16, 20] as [Int64] { losses.append(watch.isLoss(before: time(second))) }
    watch.note(drops: 3, readAt: time(30))
    losses.append(watch.isLoss(before: time(5)))
    losses.append(watch.isLoss(before: nil))
    losses.append(watch.isLoss(before: nil))
    #expect(losses == [true, false, true, false, true, false])
  }
}
