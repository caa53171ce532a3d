public import Bluetooth

/// Counts of the measurements that were received in a run or read from a recording, by outcome.
///
/// `measurements` is always the sum of stored heart-rate samples, duplicates, rejections and, while the store
/// is locked, sealed measurements; see ``isBalanced``.
public struct IngestionTally: Sendable {
  /// The number of received Heart Rate Measurement values.
  public var measurements = 0
  /// The number of new samples in the store, by type identifier. A measurement results in at most one
  /// heart-rate sample. Heartbeat series and energy are separate samples, each based on many measurements.
  public var stored: [String: Int] = [:]
  /// The number of measurements whose heart-rate sample was already in the store.
  public var duplicates = 0
  /// The number of measurements that did not result in a heart-rate sample, by reason.
  public var rejected: [Rejection: Int] = [:]
  /// Measurements that are recorded in the inbox because the store is locked. They are stored after
  /// unlocking.
  public var sealed = 0
  /// Deviations from the specification that could still be decoded, by name.
  public var anomalies: [String: Int] = [:]
  /// The number of changes of the wall clock that the store did not accept. Samples stored while the clock
  /// was wrong are not marked in this case.
  public var refusedClockChanges = 0
  /// The monitors that sent measurements, in the order of their first measurement. Only the first few
  /// thousand are listed.
  public var monitors: [MonitorTally] = []

  public init() {}

  /// The number of measurements whose heart-rate sample was new in the store.
  public var storedMeasurements: Int { stored[SampleTypes.heartRate, default: 0] }

  package var rejectedMeasurements: Int { rejected.values.reduce(0, +) }

  /// Whether every measurement is stored, a duplicate, rejected for a reason, or sealed.
  public var isBalanced: Bool {
    measurements == storedMeasurements + duplicates + rejectedMeasurements + sealed
  }
}

/// The counts of one monitor.
public struct MonitorTally: Sendable {
  public var peripheral: PeripheralIdentity
  /// The name of the `HKSource` of the monitor's samples.
  public var name: String
  /// The bundle identifier of the `HKSource` of its samples.
  public var bundleIdentifier: String
  /// The number of Heart Rate Measurement values that were received from the monitor.
  public var measurements: Int
  /// The receipt time of the monitor's last measurement, if a sample can represent it.
  public var lastReceipt: ReceiptTime?
  /// The cause of the current gap; `nil` while measurements arrive.
  public var openGap: GapCause?
  /// The number of RR intervals that exceed the elapsed time, because the monitor sends intervals repeatedly.
  /// They are stored as beats without RR intervals, or dropped if they would overlap earlier beats.
  public var surplusIntervals = 0
  /// The sum of the monitor's RR intervals divided by the elapsed time; `nil` unless the two have differed by
  /// more than 0.3 % for minutes. It is 0.977 if the monitor sends milliseconds instead of 1/1024 s. Nothing
  /// is corrected.
  public var intervalRatio: Double?
  /// The number of plausible measurements in connections during which the monitor never reported skin
  /// contact. They are rejected unless ``MonitorSettings/ignoresSensorContact`` is set.
  public var withoutContact = 0
  /// The user's settings for the monitor.
  public var settings = MonitorSettings()
}
