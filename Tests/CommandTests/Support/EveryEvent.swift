import BlueZ
import Bluetooth
import Foundation
import HealthKit

@testable import Gateway
@testable import Ingestion

/// All kinds of events that a gateway emits.
enum EveryEvent {
  static let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)
  static let strap = BluetoothAddress(bits: 0xF00D_BEA7_0101, kind: .random)
  static let nameless = BluetoothAddress(bits: 0xF00D_BEA7_0102, kind: .random)

  static func time(_ second: Int64) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: begin.microsecondsSince1970 + second * 1_000_000)
  }

  /// At least one event of each kind, one second apart.
  static var all: [GatewayEvent] {
    struct FullError: LocalizedError { var errorDescription: String? { "the disk is full" } }
    var named = EnrolledMonitor(address: strap, name: "H\u{9B}10", isBonded: true, enrolled: begin)
    named.battery = 90
    let bare = EnrolledMonitor(address: nameless, isBonded: false, enrolled: begin)
    let adapter = BluetoothAddress(bits: 0x001B_DC0A_0B01, kind: .publicDevice)
    var tally = IngestionTally()
    tally.measurements = 3
    tally.stored = [HKQuantityType(.heartRate).identifier: 1]
    tally.duplicates = 1
    tally.rejected = [.contactNotDetected: 1]
    tally.anomalies = ["oddIntervalOctets": 2]
    tally.monitors = [
      MonitorTally(
        peripheral: .address(strap), name: "H10", bundleIdentifier: "org.hrgate.monitor.x", measurements: 3)
    ]
    tally.monitors[0].surplusIntervals = 7
    tally.monitors[0].withoutContact = 120
    var refused = tally
    refused.refusedClockChanges = 1
    let gap = MonitorGap(monitor: strap, start: time(3), end: time(5), cause: .linkLoss, lost: 2)
    let open = MonitorGap(monitor: nameless, start: time(4), cause: .silence)
    let ahead = ClockError(start: time(3600), end: time(3660), ahead: .seconds(3600), isAtLeast: true)
    return [.enrolled([named, bare])]
      + FollowState.allCases.flatMap { state in
        [
          .state(FollowStatus(monitor: strap, state: state, adapter: adapter, detail: "what was said")),
          .state(FollowStatus(monitor: nameless, state: state)),
        ]
      }
      + [
        .battery(LiveBattery(monitor: strap, percentage: 85)),
        .measured([
          LiveMeasurement(
            monitor: strap, receiptTime: time(7), heartRate: 300, hasContact: true, energy: 65_535,
            intervals: [0.8125, 0]),
          LiveMeasurement(monitor: nameless, receiptTime: time(7), heartRate: 0),
        ]),
        .committed(CommitReport(tally: tally, heldBack: 1, failure: FullError(), gaps: [gap, open])),
        .committed(CommitReport(tally: tally, heldBack: 0, clockErrors: [ahead])),
        .derived(DerivationReport(written: 1)), .derived(DerivationReport(failure: FullError())), .missed(12),
        .condensed(CondensingReport(packed: 3)), .condensed(CondensingReport(left: 2, reason: "the block")),
        .condensed(CondensingReport(failure: FullError())),
        .damaged(
          reason:
            "the compressed samples of t of 2026-11-23T22:00:00Z cannot be read: the compressed data is "
            + "truncated"
        ),
        .hanging(.store, true), .hanging(.store, false), .hanging(.bus, true), .hanging(.bus, false),
        .counted(tally, heldBack: 2),
        .committed(CommitReport(tally: refused, heldBack: 0, clockRefusal: FullError())),
        .waiting(process: 77), .enrolled([named]), .stopping,
        .ended(refused),
      ]
  }

  static func timed(
    _ events: [GatewayEvent], of person: String? = nil
  ) -> AsyncStream<TimedGatewayEvent> {
    AsyncStream { continuation in
      for (second, event) in events.enumerated() {
        let clocks = SystemClocks(
          boottimeNanoseconds: UInt64(second) * 1_000_000_000, wall: time(Int64(second)))
        continuation.yield(TimedGatewayEvent(emitted: clocks, person: person, event: event))
      }
      continuation.finish()
    }
  }
}
