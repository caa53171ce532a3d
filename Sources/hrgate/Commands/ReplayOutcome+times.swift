import Bluetooth
import HealthDataSync
import Ingestion
import PacketLog
import PacketReplay

// Notices about times that a correct clock cannot have shown.
extension ReplayOutcome {
  var implausibleTimes: Int { replay.recordsTooEarly + replay.recordsTooLate }

  var timeNotices: [String] {
    [early, late, stepsBack, stepsAhead, sections].compactMap(\.self).map { "\(name): \($0)" }
  }

  private var early: String? {
    guard replay.recordsTooEarly > 0, let earliest = replay.earliestTime else { return nil }
    let rejected = division.tally.rejected[.receiptTimeOutOfRange, default: 0]
    let fate =
      rejected > 0
      ? "\(Counted.text(rejected, "measurement")) from before 1970 \(rejected == 1 ? "is" : "are") rejected"
      : "samples get these times"
    return "\(replay.recordsTooEarly) of \(Counted.text(replay.records, "record")) "
      + "\(replay.recordsTooEarly == 1 ? "is" : "are") dated before 2010, when there was no Bluetooth Low Energy "
      + "(the earliest \(earliest.description)): the recorder's clock was not set, and \(fate); \(correction(of: earliest))"
  }

  /// Seconds from the year 0, the epoch of btsnoop, to 1970.
  private static let secondsBefore1970: Int64 = 62_167_219_200

  /// Returns advice on how to correct the times.
  private func correction(of earliest: ReceiptTime) -> String {
    let shifted = ReceiptTime(
      microsecondsSince1970: earliest.microsecondsSince1970 &+ Self.secondsBefore1970 * 1_000_000)
    guard shifted >= ReplayTally.earliestPlausible, shifted <= SystemClocks.now().wall else {
      return "shift the times with: editcap -t SECONDS IN OUT"
    }
    return
      "its program counted from 1970 (then the earliest is \(shifted.description)), where btsnoop counts from the "
      + "year 0: add \(Self.secondsBefore1970) s to each time in the file"
  }

  private var late: String? {
    guard replay.recordsTooLate > 0, let latest = replay.latestTime else { return nil }
    return "\(replay.recordsTooLate) of \(Counted.text(replay.records, "record")) "
      + "\(replay.recordsTooLate == 1 ? "is" : "are") dated in the future (the latest \(latest.description)): the "
      + "recorder's clock was wrong, and samples get these times; shift the times with: editcap -t SECONDS IN OUT"
  }

  private var stepsBack: String? {
    let steps = replay.clockStepsBack
    guard steps.count > 0 else { return nil }
    return "the clock goes back in this log, \(Counted.text(steps.count, "time")), at most by "
      + "\(seconds(steps)) s: what was recorded before and after may overlap"
  }

  private var stepsAhead: String? {
    let steps = replay.clockStepsAhead
    guard steps.count > 0 else { return nil }
    return
      "the time goes ahead in this log during a connection, \(Counted.text(steps.count, "time")), at most by "
      + "\(seconds(steps)) s: the clock was set, or nothing was recorded for so long"
  }

  private var sections: String? {
    let count = replay.sectionsOutOfOrder
    guard count > 0 else { return nil }
    return
      "\(Counted.text(count, "section")) of this log \(count == 1 ? "begins" : "begin") before the one before "
      + "ends, and \(count == 1 ? "is" : "are") read apart from it; logs in files of their own are read in order "
      + "of time"
  }

  private func seconds(_ steps: ClockSteps) -> String {
    let tenths = (Double(steps.greatest) / 100_000).rounded()
    return tenths < 1e15 ? "\(tenths / 10)" : "\(steps.greatest / 1_000_000)"
  }
}
