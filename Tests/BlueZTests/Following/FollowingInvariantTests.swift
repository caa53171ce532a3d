import Foundation
import Testing

@testable import BlueZ
@testable import TestSupport

@Suite struct FollowingInvariantTests {
  /// A hundred seeds in blocks (five hundred in the long run), or the one that `HRGATE_SEED` names.
  private static let seeds: [ClosedRange<UInt64>] =
    if let seed = ProcessInfo.processInfo.environment["HRGATE_SEED"].flatMap({ UInt64($0) }) {
      [seed...seed]
    } else {
      (0..<(isLongRun ? 20 : 4)).map { $0 * 25...$0 * 25 + 24 }
    }

  @Test(arguments: seeds)
  func `whatever happens, in whatever order, what must hold holds, and everything recovers`(
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

  /// Nothing depends on the order of a dictionary, which differs from one to the next, so a seed that failed
  /// once fails again.
  @Test
  func `a seed tells the same story each time, and values the same by themselves as in the tree's events`() {
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
