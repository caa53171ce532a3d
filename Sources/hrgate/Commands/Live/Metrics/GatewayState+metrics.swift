import BlueZ
import Bluetooth
import Foundation
import Gateway
import HealthDataSync
import Ingestion

/// A running gateway as metrics: counts, ages and states, without any health values. The names and labels
/// are stable.
extension GatewayState {
  func metrics(
    now: SystemClocks, version: String, isRunning: Bool, destinations: [DestinationStatusStore.Entry] = []
  ) -> [MetricFamily] {
    [
      MetricFamily(
        "hrgate_info", .gauge, "Always 1; the label version has the version of hrgate.",
        [.init([.init("version", version)], 1)]),
      MetricFamily(
        "hrgate_running", .gauge, "1 while the gateway runs, 0 after it ended normally.",
        [.init(isRunning ? 1 : 0)]),
      MetricFamily(
        "hrgate_written_timestamp_seconds", .gauge, "When these metrics were written, as Unix time.",
        [.init(now.wall.secondsSince1970)]),
    ] + frames + stores + ofMonitors(isRunning)
      // Nothing is reported for a person whose gateway was stopped.
      + Self.ofDestinations(destinations.filter { accounts.keys.contains($0.person) })
  }

  // MARK: - People and their stores

  /// Counters of notifications for each person. Received notifications are the sum of stored, duplicate,
  /// rejected and pending ones.
  private var frames: [MetricFamily] {
    [
      MetricFamily(
        "hrgate_frames_total", .counter, "Heart Rate Measurement notifications received since the start.",
        ofAccounts { $0.tally.measurements }),
      MetricFamily(
        "hrgate_frames_stored_total", .counter, "Received frames whose heart rate was stored.",
        ofAccounts { $0.tally.storedMeasurements }),
      MetricFamily(
        "hrgate_frames_duplicate_total", .counter,
        "Received frames that were stored before, so they were dropped.",
        ofAccounts { $0.tally.duplicates }),
      MetricFamily(
        "hrgate_frames_rejected_total", .counter, "Received frames that were rejected, by reason.",
        ofAccounts("reason", Rejection.allCases.map(\.rawValue)) { $0.tally.rejectionsByName }),
      MetricFamily(
        "hrgate_frames_waiting", .gauge, "Received frames that are in memory and not stored yet.",
        ofAccounts { $0.tally.waitingMeasurements }),
      MetricFamily(
        "hrgate_samples_stored_total", .counter, "Samples stored since the start, by type.",
        ofAccounts("type", []) { $0.tally.stored }),
      MetricFamily(
        "hrgate_anomalies_total", .counter,
        "Deviations from a Bluetooth specification that hrgate could handle, by kind.",
        ofAccounts("kind", []) { $0.tally.anomalies }),
    ]
  }

  private var stores: [MetricFamily] {
    [
      MetricFamily(
        "hrgate_store_held_back", .gauge, "Samples and gaps that wait in memory to be stored.",
        ofAccounts(\.heldBack)),
      MetricFamily(
        "hrgate_store_failing", .gauge, "1 while the store cannot be written to.",
        ofAccounts { $0.storeFailure == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_derivation_failing", .gauge,
        "1 while heart-rate variability and resting heart rate cannot be computed.",
        ofAccounts { $0.derivationFailure == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_condensing_failing", .gauge,
        "1 while samples older than an hour cannot be compressed to save space.",
        ofAccounts { $0.condensingFailure == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_clock_failing", .gauge,
        "1 while a change of the system clock cannot be recorded in the store.",
        ofAccounts { $0.clockRefusal == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_events_missed_total", .counter,
        "Gateway events that were dropped; their effects may be missing from these metrics.",
        [.init(Double(missed))]),
      MetricFamily(
        "hrgate_bus_failing", .gauge, "1 while the D-Bus connection does not answer.",
        [.init(busFailure == nil ? 0 : 1)]),
    ]
  }

  private func ofMonitors(_ isRunning: Bool) -> [MetricFamily] {
    [
      MetricFamily(
        "hrgate_monitor_frames_total", .counter, "Frames received from each monitor since the start.",
        monitors.map { MetricFamily.Sample(Self.labels(of: $0), Double($0.measurements)) }),
      MetricFamily(
        "hrgate_monitor_state", .gauge, "1 for the monitor's current state, 0 for the others.",
        monitors.flatMap { monitor in
          FollowState.allCases.map { state in
            let isIn = monitor.status?.state == state && isRunning
            let labels = Self.labels(of: monitor) + [MetricFamily.Label("state", state.rawValue)]
            return MetricFamily.Sample(labels, isIn ? 1 : 0)
          }
        }),
      MetricFamily(
        "hrgate_monitor_battery_ratio", .gauge, "Battery level from 0 to 1, as last reported.",
        monitors.compactMap { monitor in
          (monitor.battery ?? monitor.enrolled.battery).map {
            MetricFamily.Sample(Self.labels(of: monitor), Double($0) / 100)
          }
        }),
      MetricFamily(
        "hrgate_monitor_last_frame_timestamp_seconds", .gauge,
        "Receipt time of the last frame, as Unix time.",
        monitors.compactMap { monitor in
          (monitor.latest?.measurement.receiptTime ?? monitor.enrolled.lastMeasurement).map {
            MetricFamily.Sample(Self.labels(of: monitor), $0.secondsSince1970)
          }
        }),
    ]
  }

  /// Counters of each destination. Its samples are the sum of sent, rejected and pending ones. A deletion is
  /// either sent, which has a counter of its own, or pending.
  private static func ofDestinations(_ entries: [DestinationStatusStore.Entry]) -> [MetricFamily] {
    func samples(_ value: (SyncStatus) -> Double?) -> [MetricFamily.Sample] {
      entries.compactMap { entry in
        let labels = Self.labels(of: entry.person) + [.init("destination", entry.status.name)]
        return value(entry.status).map { MetricFamily.Sample(labels, $0) }
      }
    }
    return [
      MetricFamily(
        "hrgate_sync_sent_total", .counter, "Samples sent since the destination was added or reset.",
        samples { Double($0.sent) }),
      MetricFamily(
        "hrgate_sync_deleted_total", .counter, "Deletions sent since the destination was added or reset.",
        samples { Double($0.deleted) }),
      MetricFamily(
        "hrgate_sync_refused", .gauge, "Samples that the destination rejects; they are retried.",
        samples { Double($0.setAside) }),
      MetricFamily(
        "hrgate_sync_waiting", .gauge, "Samples and deletions that are not sent yet.",
        samples { Double($0.pending) }),
      MetricFamily(
        "hrgate_sync_failing", .gauge, "1 while syncing fails.",
        samples { $0.lastError == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_sync_last_success_timestamp_seconds", .gauge,
        "When the destination last accepted data or was up to date, as Unix time.",
        samples { $0.lastSuccess?.timeIntervalSince1970 }),
    ]
  }

  // MARK: - Labels

  private func ofAccounts(_ count: (Account) -> Int) -> [MetricFamily.Sample] {
    inOrder.map { MetricFamily.Sample(Self.labels(of: $0), Double(count($1))) }
  }

  /// Returns a sample for each person and label value.
  /// - Parameter always: Label values that are also exported while they are 0, so that rates see the first
  ///   increase.
  private func ofAccounts(
    _ label: String, _ always: [String], _ counts: (Account) -> [String: Int]
  ) -> [MetricFamily.Sample] {
    inOrder.flatMap { person, account in
      let zeros = Dictionary(uniqueKeysWithValues: always.map { ($0, 0) })
      return zeros.merging(counts(account)) { $1 }.sorted { $0.key < $1.key }.map {
        MetricFamily.Sample(Self.labels(of: person) + [.init(label, $0.key)], Double($0.value))
      }
    }
  }

  /// The state of each person's store, that of the account owner first.
  private var inOrder: [(person: String?, account: Account)] {
    accounts.map { ($0.key, $0.value) }.sorted { $0.0 ?? "" < $1.0 ?? "" }
  }

  /// Returns the label `person`; no label for the account owner.
  private static func labels(of person: String?) -> [MetricFamily.Label] {
    person.map { [.init("person", $0)] } ?? []
  }

  /// Labels a monitor by its address, because its name can change.
  private static func labels(of monitor: Monitor) -> [MetricFamily.Label] {
    labels(of: monitor.person) + [.init("monitor", monitor.enrolled.address.description)]
  }
}

extension IngestionTally {
  fileprivate var rejectionsByName: [String: Int] {
    Dictionary(uniqueKeysWithValues: rejected.map { ($0.key.rawValue, $0.value) })
  }
}
