/// What is known of an RR interval: an interval between two normal beats (NN), or what is wrong with it.
public enum IntervalMark: UInt8, Hashable, Sendable, CaseIterable {
  /// Between two normal beats, as far as anything here can tell.
  case normal
  /// Made by ``MarkedRecording/corrected()`` in the place of artefacts. It counts as an NN interval and as an
  /// artefact.
  case interpolated
  /// Outside ``RangeLimits``, and not because of a beat that was missed, is extra or is ectopic.
  case outOfRange
  /// It is of two beats: the one between was not found.
  case missed
  /// Before or after a beat that was none.
  case extra
  /// Before or after a beat that came too early or too late, and after which the rhythm went on.
  case ectopic
  /// Longer than its neighbours allow, for no reason above.
  case long
  /// Shorter than its neighbours allow, for no reason above.
  case short

  /// Whether the interval enters the measures.
  public var isNN: Bool { self == .normal || self == .interpolated }

  /// Whether the interval is, or stands for, one that is wrong.
  public var isArtefact: Bool { self != .normal }
}
