import Foundation
import HealthStorage

/// Finds the applications that are to be started because there is something new for them.
package struct BackgroundDelivery: Sendable {
  /// An application to be started.
  package struct Launch: Hashable, Sendable {
    package var bundleIdentifier: String
    package var name: String
    /// A systemd user unit; nil for the executable.
    package var unit: String?
    package var executable: String
    /// The identifiers of the types of which something changed.
    package var types: [String]
  }

  /// What is to be done now, and when to look again if nothing is committed before.
  package struct Agenda: Sendable {
    package var launches: [Launch]
    package var next: Date?
  }

  /// How long a running application has before it is looked for again.
  private static let patience: Int64 = 30_000_000

  private let store: HKHealthStore

  /// - Parameter store: the system's.
  package init(_ store: HKHealthStore) {
    self.store = store
  }

  /// A tick whenever something may have been committed.
  package func commits() throws -> AsyncStream<Void> {
    try store.admit(.administer).commits()
  }

  package func agenda(at now: Date) async throws -> Agenda {
    try await HKError.translating {
      let database = try store.admit(.administer)
      let time = Microseconds.clamped(now)
      var launches: [String: Launch] = [:]
      var next: Int64?
      for record in try await database.deliveries() {
        guard var due = DeliverySchedule(record).next, try await isNews(record, in: database) else {
          continue
        }
        // Whoever runs is told by its own observers; should it end before it has dealt with them, it is started.
        if try await runs(record.application.bundleIdentifier, in: database) {
          due = max(due, time + Self.patience)
        }
        guard due <= time else {
          next = min(next ?? due, due)
          continue
        }
        let application = record.application
        launches[application.bundleIdentifier, default: Launch(record)].types.append(record.type)
      }
      return Agenda(
        launches: launches.values.sorted { $0.bundleIdentifier < $1.bundleIdentifier },
        next: next.map(Microseconds.date))
    }
  }

  /// An application was started, or could not be: either way it counts until the application acknowledges.
  package func note(_ launch: Launch, at now: Date) async throws {
    try await HKError.translating {
      try await store.admit(.administer).noteDelivery(
        of: launch.types, to: launch.bundleIdentifier, at: Microseconds.clamped(now))
    }
  }

  /// Only what the application may see is news to it.
  private func isNews(_ record: DeliveryRecord, in database: SampleDatabase) async throws -> Bool {
    guard let type = ObjectTypes.type(record.type) as? HKSampleType else { return false }
    let protected: ProtectedType =
      type.requiresPerObjectAuthorization() ? .objects(type.identifier) : .type(type.identifier)
    let view = database.admitted(.reading([protected], by: record.application.bundleIdentifier))
    do {
      return try await !view.changedTypes([(record.type, .everything)], after: record.position).types.isEmpty
    } catch StorageFailure.undecided {
      return false
    }
  }

  private func runs(_ application: String, in database: SampleDatabase) async throws -> Bool {
    try await database.processes(of: application).contains(where: \.isAlive)
  }
}

extension BackgroundDelivery.Launch {
  fileprivate init(_ record: DeliveryRecord) {
    self.init(
      bundleIdentifier: record.application.bundleIdentifier, name: record.application.name,
      unit: record.launch.unit, executable: record.launch.executable, types: [])
  }
}
