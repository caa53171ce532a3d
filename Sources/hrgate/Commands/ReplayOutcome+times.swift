import Bluetooth
import HealthDataSync
import Ingestion
import PacketLog
import PacketReplay

// Notices about implausible times.
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
      + "\(replay.recordsTooEarly == 1 ? "is" : "are") dated before 2010, before Bluetooth Low Energy existed "
      + "(earliest: \(earliest.description)): the recorder's clock was not set, and \(fate); \(correction(of: earliest))"
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
      "its program used the epoch 1970 instead of btsnoop's year 0 (then the earliest is \(shifted.description)): "
      + "add \(Self.secondsBefore1970) s to each time in the file"
  }

  private var late: String? {
    guard replay.recordsTooLate > 0, let latest = replay.latestTime else { return nil }
    return "\(replay.recordsTooLate) of \(Counted.text(replay.records, "record")) "
      + "\(replay.recordsTooLate == 1 ? "is" : "are") dated in the future (latest: \(latest.description)): the "
      + "recorder's clock was wrong, and samples get these times; shift the times with: editcap -t SECONDS IN OUT"
  }

  private var stepsBack: String? {
    let steps = replay.clockStepsBack
    guard steps.count > 0 else { return nil }
    return "the time goes back in this log \(Counted.text(steps.count, "time")), by up to "
      + "\(seconds(steps)) s: recordings before and after may overlap"
  }

  private var stepsAhead: String? {
    let steps = replay.clockStepsAhead
    guard steps.count > 0 else { return nil }
    return
      "the time jumps ahead in this log during a connection \(Counted.text(steps.count, "time")), by up to "
      + "\(seconds(steps)) s: the clock was set, or recording paused"
  }

  private var sections: String? {
    let count = replay.sectionsOutOfOrder
    guard count > 0 else { return nil }
    return
      "\(Counted.text(count, "section")) of this log \(count == 1 ? "begins" : "begin") before the previous one "
      + "ends and \(count == 1 ? "is" : "are") read as \(count == 1 ? "a separate recording" : "separate recordings"); "
      + "logs in separate files are read in order of time"
  }

  private func seconds(_ steps: ClockSteps) -> String {
    let tenths = (Double(steps.greatest) / 100_000).rounded()
    return tenths < 1e15 ? "\(tenths / 10)" : "\(steps.greatest / 1_000_000)"
  }
}
