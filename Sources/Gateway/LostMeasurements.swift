public import Foundation

/// What was measured last, or what became known of the clock, could not be stored.
public struct LostMeasurements: LocalizedError, CustomStringConvertible {
  /// How many measurements; 0 where only gaps are lost, or what became known of the clock.
  public let count: Int
  /// What the store said.
  public let cause: any Error
  /// The store did not take when the run ended; the next run takes this one for killed.
  let isEndLost: Bool
  /// The store did not take what became known of the clock.
  let isClockLost: Bool

  public var description: String {
    let what =
      switch count {
      case 0: "when the run ended"
      case 1: "the last measurement"
      default: "the last \(count) measurements"
      }
    var sentences: [String] = []
    if isEndLost {
      sentences = [
        "\(what) could not be stored: \(cause.localizedDescription).",
        "The next run records the time since what is stored as a gap.",
      ]
    }
    if isClockLost {
      let reason = isEndLost ? "" : ": \(cause.localizedDescription)"
      sentences += [
        "That the clock was set could not be stored\(reason).",
        "What was stored while it was ahead is not marked.",
      ]
    }
    return sentences.joined(separator: " ")
  }

  public var errorDescription: String? { description }
}
