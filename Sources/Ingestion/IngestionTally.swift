public import Bluetooth

/// The counts of a run: what was received, and what happened to it.
///
/// `measurements` is always the sum of stored heart-rate samples, duplicates and rejections; see
/// ``isBalanced``.
public struct IngestionTally: Sendable {
  /// The number of received Heart Rate Measurement values.
  public var measurements = 0
  /// New samples in the store, by type identifier. A measurement gives at most one heart-rate sample. Beats
  /// and energy are separate samples, each from many measurements.
  public var stored: [String: Int] = [:]
  /// Measurements whose heart-rate sample was already in the store.
  public var duplicates = 0
  /// Measurements that gave no heart-rate sample, by reason.
  public var rejected: [Rejection: Int] = [:]
  /// Deviations from the specification that could still be decoded, by name.
  public var anomalies: [String: Int] = [:]
  /// The number of changes of the wall clock that the store did not accept. Samples that were stored while
  /// the clock was ahead are then not marked.
  public var refusedClockChanges = 0
  /// The monitors that measured, in the order of their first measurement. Of monitors that have
  /// disconnected, only the first few thousand are listed.
  public var monitors: [MonitorTally] = []

  public init() {}

  /// Measurements whose heart rate is new in the store.
  public var storedMeasurements: Int { stored[SampleTypes.heartRate, default: 0] }

  package var rejectedMeasurements: Int { rejected.values.reduce(0, +) }

  /// Whether every measurement is stored, a duplicate, or rejected for a reason.
  public var isBalanced: Bool { measurements == storedMeasurements + duplicates + rejectedMeasurements }
}

/// The counts of one monitor.
public struct MonitorTally: Sendable {
  public var peripheral: PeripheralIdentity
  /// The name of the source of its samples.
  public var name: String
  /// The bundle identifier of the source of its samples.
  public var bundleIdentifier: String
  /// The number of its received Heart Rate Measurement values.
  public var measurements: Int
  /// The receipt of the last measurement with a valid receipt time.
  public var lastReceipt: ReceiptTime?
  /// The cause of the current gap; `nil` while measurements arrive.
  public var openGap: GapCause?
  /// The number of intervals that exceed the elapsed time, because the monitor repeats them. They are
  /// stored as beats without RR intervals, or dropped if they would begin before the end of earlier beats.
  public var surplusIntervals = 0
  /// The sum of its intervals divided by the elapsed time, if the two have differed by more than 0.3 % for
  /// minutes: 0.977 if it sends milliseconds instead of 1/1024 s. Nothing is corrected.
  public var intervalRatio: Double?
  /// The number of plausible measurements of links during which the monitor never reported contact. They
  /// are rejected unless ``MonitorSettings/ignoresSensorContact`` is set.
  public var withoutContact = 0
  /// The settings that the user declared for it.
  public var settings = MonitorSettings()
}
