import Foundation
import Testing

@testable import BlueZ
@testable import TestSupport

@Suite struct FollowingInvariantTests {
  /// A hundred seeds in groups (five hundred in the long run), or only the one in `HRGATE_SEED`.
  private static let seeds: [ClosedRange<UInt64>] =
    if let seed = ProcessInfo.processInfo.environment["HRGATE_SEED"].flatMap({ UInt64($0) }) {
      [seed...seed]
    } else {
      (0..<(isLongRun ? 20 : 4)).map { $0 * 25...$0 * 25 + 24 }
    }

  @Test(arguments: seeds)
  func `the invariants hold for all faults in any order, and everything recovers`(
    block: ClosedRange<UInt64>
  ) {
    for seed in block {
      var schedule = RandomSchedule(seed: seed)
      schedule.play()
      schedule.mend()
      if schedule.recover(within: .seconds(900)) == nil {
        let states = (1...schedule.world.daemon.straps.count).map {
          schedule.world.state($0)?.rawValue ?? "-"
        }
        Issue.record("seed \(seed): after 15 minutes \(states)")
      }
      schedule.world.endAndCheckMeasurements()
      if !schedule.world.faults.isEmpty {
        Issue.record("seed \(seed): \(schedule.world.faults.prefix(3).joined(separator: "; "))")
      }
    }
  }

  /// A failing seed must fail again. So nothing may depend on the order of a dictionary, which changes from
  /// run to run.
  @Test
  func `a seed gives the same events each time, whether values come separately or as tree events`() {
    for seed in 0..<(isLongRun ? 50 : 10) as Range<UInt64> {
      let records = [true, false].map { isPlain in
        var schedule = RandomSchedule(seed: seed, isPlain: isPlain)
        schedule.play()
        schedule.mend()
        _ = schedule.recover(within: .seconds(900))
        schedule.world.endAndCheckMeasurements()
        return schedule.world.record
      }
      #expect(records[0] == records[1], "seed \(seed)")
    }
  }
}
