public import Bluetooth

/// What became of everything that came in.
///
/// `measurements` is always the heart-rate samples stored, plus the duplicates, plus all rejections; see
/// ``isBalanced``.
public struct IngestionTally: Sendable {
  /// Values of Heart Rate Measurement that came in.
  public var measurements = 0
  /// New samples in the store, by type identifier. One measurement gives at most one heart-rate sample; beats
  /// and energy come beside it, many measurements to one sample.
  public var stored: [String: Int] = [:]
  /// Measurements whose heart-rate sample was in the store already.
  public var duplicates = 0
  public var rejected: [Rejection: Int] = [:]
  /// Deviations that were read over, by name.
  public var anomalies: [String: Int] = [:]
  /// How often the wall clock was set and the store has not taken what that says of the times in it. Times
  /// that were told while it was ahead are then stored without a mark.
  public var refusedClockChanges = 0
  /// The monitors that measured, in the order in which they first did; of those that came and went, the first
  /// few thousand.
  public var monitors: [MonitorTally] = []

  public init() {}

  /// Measurements whose heart rate is new in the store.
  public var storedMeasurements: Int { stored[SampleTypes.heartRate, default: 0] }

  package var rejectedMeasurements: Int { rejected.values.reduce(0, +) }

  /// Nothing was lost without a reason.
  public var isBalanced: Bool { measurements == storedMeasurements + duplicates + rejectedMeasurements }
}

/// A monitor that measured.
public struct MonitorTally: Sendable {
  public var peripheral: PeripheralIdentity
  public var name: String
  public var bundleIdentifier: String
  public var measurements: Int
  /// The receipt of the last of them that could be read.
  public var lastReceipt: ReceiptTime?
  /// Why nothing arrives from it at present; `nil` where measurements do.
  public var openGap: GapCause?
  /// The number of intervals that add up to more than the time that passed, because the monitor repeats them.
  /// They are stored as beats without RR intervals, or dropped if they would begin before the end of earlier
  /// beats.
  public var surplusIntervals = 0
  /// The sum of its intervals divided by the time that passed, if the difference is over 0.3 % for minutes:
  /// 0.977 if it sends milliseconds instead of 1/1024 s. Nothing is corrected.
  public var intervalRatio: Double?
  /// The number of plausible measurements of links during which the monitor never had contact, by what it
  /// says. They are rejected unless ``MonitorSettings/ignoresSensorContact`` is set.
  public var withoutContact = 0
  /// What the user declared about it.
  public var settings = MonitorSettings()
}
