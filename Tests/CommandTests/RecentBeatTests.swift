import Bluetooth
import Testing

@testable import Gateway
@testable import hrgate

/// Tests the most recent beats of a monitor, which clients draw.
@Suite struct RecentBeatTests {
  private func measurement(
    _ seconds: Int64, _ intervals: [Double], rate: Int = 60, contact: Bool? = nil
  ) throws -> LiveMeasurement {
    LiveMeasurement(
      monitor: try #require(BluetoothAddress("C0:FF:EE:00:00:01", kind: .random)),
      receiptTime: ReceiptTime(microsecondsSince1970: seconds * 1_000_000), heartRate: rate,
      hasContact: contact, intervals: intervals)
  }

  @Test func `each interval is kept once, in order, with the receipt time of the last one`() throws {
    var beats = RecentBeats()
    beats.add(try measurement(1, [0.8125, 1]))
    beats.add(try measurement(2, []))
    beats.add(try measurement(3, [0.5], contact: true))
    #expect(beats.intervals == [0.8125, 1, 0.5] && beats.count == 3)
    #expect(beats.received?.microsecondsSince1970 == 3_000_000)
  }

  @Test func `a frame without a valid heart rate adds no beat`() throws {
    var beats = RecentBeats()
    beats.add(try measurement(1, [1], contact: false))
    beats.add(try measurement(2, [1], rate: 0))
    #expect(beats == RecentBeats())
  }

  @Test func `only the last intervals are kept, and all are counted`() throws {
    var beats = RecentBeats()
    for number in 0..<100 { beats.add(try measurement(Int64(number), [Double(number)])) }
    #expect(beats.intervals == (100 - RecentBeats.most..<100).map(Double.init) && beats.count == 100)
    #expect(beats.intervals.count == 32)
  }

  @Test func `the state of a run has the beats that D-Bus clients read`() throws {
    let strap = try #require(BluetoothAddress("C0:FF:EE:00:00:01", kind: .random))
    var state = GatewayState()
    func send(_ event: GatewayEvent) {
      state.update(with: TimedGatewayEvent(emitted: .now(), person: nil, event: event))
    }
    send(
      .enrolled([
        EnrolledMonitor(
          address: strap, name: "Strap", isBonded: true, enrolled: ReceiptTime(microsecondsSince1970: 1))
      ]))
    send(.measured([try measurement(1, [1, 0.5]), try measurement(2, [0.75])]))
    let status = try #require(GatewayStatus(state).monitors.first)
    #expect(status.intervals == [1, 0.5, 0.75] && status.beats == 3 && status.beatAt == 2_000_000)
  }
}
