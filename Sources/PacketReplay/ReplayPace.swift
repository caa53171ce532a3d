/// How fast a log is replayed.
public enum ReplayPace: Hashable, Sendable {
  /// As fast as the consumer asks.
  case maximum
  /// At a multiple of the speed at which it was recorded; 1 is real time.
  case multiple(Double)

  /// Parses `max`, `real` or `4x`; the multiple is finite and above zero.
  public init?(_ text: String) {
    switch text {
    case "max": self = .maximum
    case "real": self = .multiple(1)
    default:
      guard text.hasSuffix("x"), let factor = Double(text.dropLast()), factor.isFinite, factor > 0 else {
        return nil
      }
      self = .multiple(factor)
    }
  }

  /// How long after the start an event is due which the log has `microseconds` after its first.
  func delay(microseconds: Int64) -> Duration? {
    guard case .multiple(let factor) = self, microseconds > 0 else { return nil }
    return .seconds(min(Double(microseconds) / 1e6 / factor, 1e9))
  }
}
