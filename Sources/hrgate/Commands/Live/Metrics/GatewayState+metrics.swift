import BlueZ
import Bluetooth
import Foundation
import Gateway
import HealthDataSync
import Ingestion

/// A running gateway in metrics: counts, ages and states, and nothing that was measured. Their names and
/// labels are a promise.
extension GatewayState {
  func metrics(
    now: SystemClocks, version: String, isRunning: Bool, destinations: [DestinationBoard.Entry] = []
  ) -> [MetricFamily] {
    [
      MetricFamily(
        "hrgate_info", .gauge, "1, with the version of the program.", [.init([.init("version", version)], 1)]),
      MetricFamily(
        "hrgate_running", .gauge, "1 while the gateway runs, 0 once it has ended in good order.",
        [.init(isRunning ? 1 : 0)]),
      MetricFamily(
        "hrgate_written_timestamp_seconds", .gauge, "When these metrics were written, as Unix time.",
        [.init(now.wall.unixTime)]),
    ] + frames + stores + ofMonitors(isRunning)
      // Of who was let go nothing is said any more.
      + Self.ofDestinations(destinations.filter { accounts.keys.contains($0.person) })
  }

  // MARK: - The account

  /// Frames = stored + duplicate + rejected + waiting, for each person.
  private var frames: [MetricFamily] {
    [
      MetricFamily(
        "hrgate_frames_total", .counter, "Values of Heart Rate Measurement that came in since the start.",
        ofAccounts { $0.tally.measurements }),
      MetricFamily(
        "hrgate_frames_stored_total", .counter, "Of these, those whose heart rate is new in the store.",
        ofAccounts { $0.tally.storedMeasurements }),
      MetricFamily(
        "hrgate_frames_duplicate_total", .counter, "Of these, those that were stored already or told twice.",
        ofAccounts { $0.tally.duplicates }),
      MetricFamily(
        "hrgate_frames_rejected_total", .counter, "Of these, those that are not stored, by the reason.",
        ofAccounts("reason", Rejection.allCases.map(\.rawValue)) { $0.tally.rejectionsByName }),
      MetricFamily(
        "hrgate_frames_waiting", .gauge, "Of these, those that wait in memory.",
        ofAccounts { $0.tally.waitingMeasurements }),
      MetricFamily(
        "hrgate_samples_stored_total", .counter, "New samples in the store since the start, by their type.",
        ofAccounts("type", []) { $0.tally.stored }),
      MetricFamily(
        "hrgate_anomalies_total", .counter, "Deviations from a specification that could still be read.",
        ofAccounts("kind", []) { $0.tally.anomalies }),
    ]
  }

  private var stores: [MetricFamily] {
    [
      MetricFamily(
        "hrgate_store_held_back", .gauge, "Samples and gaps that wait in memory until the store takes them.",
        ofAccounts(\.heldBack)),
      MetricFamily(
        "hrgate_store_failing", .gauge, "1 while the store does not take what was measured.",
        ofAccounts { $0.storeFailure == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_derivation_failing", .gauge, "1 while no figures can be derived from what is stored.",
        ofAccounts { $0.derivationFailure == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_condensing_failing", .gauge, "1 while old samples are not packed.",
        ofAccounts { $0.condensingFailure == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_clock_failing", .gauge, "1 while the store does not take that the clock was set.",
        ofAccounts { $0.clockRefusal == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_events_missed_total", .counter,
        "Events of the gateway that were not taken up in time; what they changed may be missing here.",
        [.init(Double(missed))]),
      MetricFamily(
        "hrgate_bus_failing", .gauge, "1 while what follows the monitors over the bus does not answer.",
        [.init(busFailure == nil ? 0 : 1)]),
    ]
  }

  private func ofMonitors(_ isRunning: Bool) -> [MetricFamily] {
    [
      MetricFamily(
        "hrgate_monitor_frames_total", .counter, "What came in since the start from each monitor.",
        monitors.map { MetricFamily.Sample(Self.labels(of: $0), Double($0.measurements)) }),
      MetricFamily(
        "hrgate_monitor_state", .gauge, "1 for the state that the monitor is in, 0 for the others.",
        monitors.flatMap { monitor in
          FollowState.allCases.map { state in
            let isIn = monitor.status?.state == state && isRunning
            let labels = Self.labels(of: monitor) + [MetricFamily.Label("state", state.rawValue)]
            return MetricFamily.Sample(labels, isIn ? 1 : 0)
          }
        }),
      MetricFamily(
        "hrgate_monitor_battery_ratio", .gauge, "How full the battery is, from 0 to 1, as last told.",
        monitors.compactMap { monitor in
          (monitor.battery ?? monitor.enrolled.battery).map {
            MetricFamily.Sample(Self.labels(of: monitor), Double($0) / 100)
          }
        }),
      MetricFamily(
        "hrgate_monitor_last_frame_timestamp_seconds", .gauge, "When the last frame came in, as Unix time.",
        monitors.compactMap { monitor in
          (monitor.latest?.measurement.receiptTime ?? monitor.enrolled.lastMeasurement).map {
            MetricFamily.Sample(Self.labels(of: monitor), $0.unixTime)
          }
        }),
    ]
  }

  /// What is to go to each destination = sent + refused + waiting, and what was deleted likewise among the
  /// sent or waiting.
  private static func ofDestinations(_ entries: [DestinationBoard.Entry]) -> [MetricFamily] {
    func samples(_ value: (SyncStatus) -> Double?) -> [MetricFamily.Sample] {
      entries.compactMap { entry in
        let labels = Self.labels(of: entry.person) + [.init("destination", entry.status.name)]
        return value(entry.status).map { MetricFamily.Sample(labels, $0) }
      }
    }
    return [
      MetricFamily(
        "hrgate_sync_sent_total", .counter, "Samples that went over since it was added or reset.",
        samples { Double($0.sent) }),
      MetricFamily(
        "hrgate_sync_deleted_total", .counter, "Deletions that went over, likewise.",
        samples { Double($0.deleted) }),
      MetricFamily(
        "hrgate_sync_refused", .gauge, "Samples that the destination does not take as they are; tried again.",
        samples { Double($0.setAside) }),
      MetricFamily(
        "hrgate_sync_waiting", .gauge, "Samples and deletions that have not been carried yet.",
        samples { Double($0.pending) }),
      MetricFamily(
        "hrgate_sync_failing", .gauge, "1 while attempts to carry fail.",
        samples { $0.lastError == nil ? 0 : 1 }),
      MetricFamily(
        "hrgate_sync_last_success_timestamp_seconds", .gauge,
        "When the destination last took something or had everything, as Unix time.",
        samples { $0.lastSuccess?.timeIntervalSince1970 }),
    ]
  }

  // MARK: - Labels

  private func ofAccounts(_ count: (Account) -> Int) -> [MetricFamily.Sample] {
    inOrder.map { MetricFamily.Sample(Self.labels(of: $0), Double(count($1))) }
  }

  /// - Parameter always: What is told where it is 0 too, so that its first increase is seen.
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

  /// The owner's before the others'.
  private var inOrder: [(person: String?, account: Account)] {
    accounts.map { ($0.key, $0.value) }.sorted { $0.0 ?? "" < $1.0 ?? "" }
  }

  /// None for the owner.
  private static func labels(of person: String?) -> [MetricFamily.Label] {
    person.map { [.init("person", $0)] } ?? []
  }

  /// By the address: a name is its owner's choice, and changes.
  private static func labels(of monitor: Monitor) -> [MetricFamily.Label] {
    labels(of: monitor.person) + [.init("monitor", monitor.enrolled.address.description)]
  }
}

extension IngestionTally {
  fileprivate var rejectionsByName: [String: Int] {
    Dictionary(uniqueKeysWithValues: rejected.map { ($0.key.rawValue, $0.value) })
  }
}

extension ReceiptTime {
  fileprivate var unixTime: Double { Double(microsecondsSince1970) / 1e6 }
}
