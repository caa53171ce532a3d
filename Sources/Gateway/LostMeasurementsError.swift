public import Foundation

/// The error of a run that ended before its last measurements or clock changes could be stored.
///
/// ```swift
/// do {
///   try await gateway.run()
/// } catch let loss as LostMeasurementsError {
///   print("\(loss.count) measurements lost:", loss.cause.localizedDescription)
/// }
/// ```
public struct LostMeasurementsError: LocalizedError, CustomStringConvertible {
  /// The number of lost measurements; 0 if only gaps or clock changes are lost.
  public let count: Int
  /// The error of the store.
  public let cause: any Error
  /// Whether the end of the run could not be stored. If so, the next run assumes that this one was killed.
  let isEndLost: Bool
  /// Whether a clock change could not be stored.
  let isClockLost: Bool

  public var description: String {
    let what =
      switch count {
      case 0: "the end of the run"
      case 1: "the last measurement"
      default: "the last \(count) measurements"
      }
    var sentences: [String] = []
    if isEndLost {
      sentences = [
        "\(what) could not be stored: \(cause.localizedDescription).",
        "The next run records the time since the last stored measurement as a gap.",
      ]
    }
    if isClockLost {
      let reason = isEndLost ? "" : ": \(cause.localizedDescription)"
      sentences += [
        "The change of the clock could not be stored\(reason).",
        "Samples stored while the clock was ahead are therefore not marked as such.",
      ]
    }
    return sentences.joined(separator: " ")
  }

  public var errorDescription: String? { description }
}
