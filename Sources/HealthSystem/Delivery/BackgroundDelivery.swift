package import Foundation
import HealthKit
import HealthStorage
import Synchronization

/// Finds the applications that are to be started because there is something new for them.
package final class BackgroundDelivery: Sendable {
  /// An application to be started.
  package struct Launch: Hashable, Sendable {
    package var bundleIdentifier: String
    package var name: String
    /// A systemd user unit; nil for the executable.
    package var unit: String?
    package var executable: String
    fileprivate var deliveries: [DeliveryRecord]

    /// The identifiers of the types of which something changed.
    package var types: [String] { deliveries.map(\.type) }
  }

  /// What is to be done now, and when to look again if nothing is committed before.
  package struct Agenda: Sendable {
    package var launches: [Launch]
    package var next: Date?
  }

  /// How long a running application has before it is looked for again.
  private static let patience: Int64 = 30_000_000

  private struct Registration: Hashable {
    var application: String
    var type: String
  }

  private let database: SampleDatabase
  /// Up to where in the change log there was nothing for a registration. Without it each commit would look
  /// through the same changes again.
  private let looked = Mutex<[Registration: Int64]>([:])

  package init(_ store: SystemStore) {
    database = store.database
  }

  /// A tick whenever something may have been committed.
  package func commits() -> AsyncStream<Void> { database.commits() }

  package func agenda(at now: Date) async throws -> Agenda {
    try await HKError.translating {
      let time = Microseconds.clamped(now)
      var launches: [String: Launch] = [:]
      var next: Int64?
      for record in try await database.deliveries() {
        guard var due = DeliverySchedule(record).next(at: time) else { continue }
        if due <= time {
          guard try await isNews(record) else { continue }
          // An application that runs is told by its own observers. If it ends before it has dealt with the
          // changes, it is started.
          if try await runs(record.application.bundleIdentifier) { due = time + Self.patience }
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

  /// Takes a launch on this process, before the application is started. It counts as a miss until the
  /// application acknowledges.
  /// - Returns: what is left to start it for; nil if another process has claimed all of it.
  package func claim(_ launch: Launch, at now: Date) async throws -> Launch? {
    try await HKError.translating {
      var claimed = launch
      claimed.deliveries = try await database.noteDelivery(
        launch.deliveries, at: Microseconds.clamped(now))
      return claimed.deliveries.isEmpty ? nil : claimed
    }
  }

  /// Only what the application may see is news to it.
  private func isNews(_ record: DeliveryRecord) async throws -> Bool {
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
    } catch StorageFailure.undecided {
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
