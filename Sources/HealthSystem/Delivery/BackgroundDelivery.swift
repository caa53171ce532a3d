package import Foundation
import HealthKit
import HealthStorage
import Synchronization

/// Finds the applications that the system has to start because samples changed for which they enabled
/// background delivery.
package final class BackgroundDelivery: Sendable {
  /// An application to start.
  package struct Launch: Hashable, Sendable {
    package var bundleIdentifier: String
    package var name: String
    /// The systemd user unit, or nil to start the executable.
    package var unit: String?
    /// The absolute path of the executable, for an application without a systemd unit.
    package var executable: String
    fileprivate var deliveries: [DeliveryRecord]

    /// The identifiers of the types whose changes trigger the launch.
    package var types: [String] { deliveries.map(\.type) }
  }

  /// The applications to start now, and the time of the next check.
  package struct Agenda: Sendable {
    /// The applications to start now.
    package var launches: [Launch]
    /// The time of the next check if nothing is committed before, or nil to wait for a commit.
    package var next: Date?
  }

  /// Time in microseconds after which a running application is checked again.
  private static let timeout: Int64 = 30_000_000

  private struct Registration: Hashable {
    var application: String
    var type: String
  }

  private let database: SampleDatabase
  /// For each application and type, the change log position up to which there is nothing to report, so that
  /// the same changes are not scanned again after each commit.
  private let looked = Mutex<[Registration: Int64]>([:])

  package init(_ store: SystemStore) {
    database = store.database
  }

  /// Returns a sequence that emits a value after each commit. It may also emit values without a commit.
  package func commits() -> AsyncStream<Void> { database.commits() }

  /// Returns the applications to start now, and the time of the next check.
  package func agenda(at now: Date) async throws -> Agenda {
    try await HKError.translating {
      let time = Microseconds.clamped(now)
      var launches: [String: Launch] = [:]
      var next: Int64?
      for record in try await database.deliveries() {
        guard var due = DeliverySchedule(record).next(at: time) else { continue }
        if due <= time {
          guard try await hasChanges(record) else { continue }
          // A running application receives the changes through its own observer queries. If it exits before
          // acknowledging them, launch it.
          if try await runs(record.application.bundleIdentifier) { due = time + Self.timeout }
        }
        guard due <= time else {
          next = min(next ?? due, due)
          continue
        }
        launches[record.application.bundleIdentifier, default: Launch(record)].deliveries.append(record)
      }
      return Agenda(
        launches: launches.values.sorted { $0.bundleIdentifier < $1.bundleIdentifier },
        next: next.map(Microseconds.date))
    }
  }

  /// Claims a launch, so that no other process starts the application too. The launch counts as missed until
  /// the application acknowledges it.
  /// - Returns: The launch with the deliveries that this process claimed, or nil if another process has
  ///   claimed all of them.
  package func claim(_ launch: Launch, at now: Date) async throws -> Launch? {
    try await HKError.translating {
      var claimed = launch
      claimed.deliveries = try await database.recordDelivery(
        launch.deliveries, at: Microseconds.clamped(now))
      return claimed.deliveries.isEmpty ? nil : claimed
    }
  }

  /// Returns whether there are changes that the application may read and has not been notified of.
  private func hasChanges(_ record: DeliveryRecord) async throws -> Bool {
    let registration = Registration(application: record.application.bundleIdentifier, type: record.type)
    guard let view = database.samples(ofType: record.type, asReadBy: registration.application) else {
      return false
    }
    let position = max(record.position, looked.withLock { $0[registration] } ?? record.position)
    do {
      let changes = try await view.changedTypes([(record.type, .everything)], after: position)
      guard changes.types.isEmpty else { return true }
      looked.withLock { $0[registration] = changes.position }
      return false
    } catch StorageError.undecided {
      return false
    }
  }

  private func runs(_ application: String) async throws -> Bool {
    try await database.processes(of: application).contains(where: \.isAlive)
  }
}

extension BackgroundDelivery.Launch {
  fileprivate init(_ record: DeliveryRecord) {
    self.init(
      bundleIdentifier: record.application.bundleIdentifier, name: record.application.name,
      unit: record.launch.unit, executable: record.launch.executable, deliveries: [])
  }
}

/// Decides when an application is started because samples of a type changed.
///
/// An application is not started more often than it requested. If it does not acknowledge a start, the next
/// one is delayed by a minute, and the delay doubles each time. After three unacknowledged starts, the
/// application is not started until it acknowledges a change.
struct DeliverySchedule: Sendable {
  static let greatestMisses = 3
  private static let firstPause: Int64 = 60_000_000

  private let delivered: Int64?
  private let frequency: HKUpdateFrequency
  private let misses: Int

  init(_ record: DeliveryRecord) {
    delivered = record.delivered
    frequency = HKUpdateFrequency(rawValue: record.frequency) ?? .weekly
    misses = record.misses
  }

  /// Returns the earliest time of the next start in microseconds since 1970, or nil for never.
  /// - Parameter now: The current time. If the clock was set back and the last start is in the future, the
  ///   last start counts as now.
  func next(at now: Int64) -> Int64? {
    guard misses < Self.greatestMisses else { return nil }
    guard let delivered else { return 0 }
    let pause = misses > 0 ? Self.firstPause << (misses - 1) : 0
    return min(delivered, now) + max(period, pause)
  }

  private var period: Int64 {
    let hour: Int64 = 3_600_000_000
    return switch frequency {
    case .immediate: 0
    case .hourly: hour
    case .daily: 24 * hour
    case .weekly: 7 * 24 * hour
    }
  }
}
