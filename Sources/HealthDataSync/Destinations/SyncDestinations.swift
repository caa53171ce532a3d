import Foundation
public import HealthKit
import HealthStorage

/// The sync destinations that are stored in a health store. A store opened with the owner's access has the
/// user's destinations. A store opened by a program has the program's own.
///
/// ```swift
/// let destinations = try SyncDestinations(store)
/// for status in try await destinations.status() {
///   print(status.name, status.state, status.pending)
/// }
/// ```
public struct SyncDestinations: Sendable {
  private let store: HKHealthStore
  private let ledger: SyncLedger

  /// Opens the list of destinations.
  ///
  /// - Throws: `HKError`: errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible.
  public init(_ store: HKHealthStore) throws {
    self.store = store
    ledger = try store.syncLedger()
  }

  /// Returns all destinations, sorted by name.
  ///
  /// - Throws: `HKError`, as do all methods below.
  public func list() async throws -> [SyncDestination] {
    try await HKError.translating { try await ledger.destinations().map { SyncDestination($0) } }
  }

  /// Returns the identity of the store, which identifies its gateway. It is random, assigned when the store
  /// is created, and never changes. A copy of the store has the same identity.
  /// - Throws: `HKError`.
  public func gatewayID() async throws -> String {
    try await HKError.translating { try await ledger.storeIdentity() }
  }

  /// Returns all destinations with their IDs. A destination that is added under the name of a removed one has
  /// a different ID.
  func listed() async throws -> [ListedDestination] {
    try await HKError.translating {
      try await ledger.destinations().map { ListedDestination(id: $0.id, destination: SyncDestination($0)) }
    }
  }

  /// Adds a destination.
  ///
  /// - Parameter marker: The marker that was written to the destination when it was tested, or `nil`.
  /// - Throws: `SyncDestinationError`: `invalidName`, `taken`.
  public func add(_ destination: SyncDestination, marker: DestinationMarker? = nil) async throws {
    guard SyncDestination.isName(destination.name) else {
      throw SyncDestinationError.invalidName(destination.name)
    }
    let isNew = try await HKError.translating {
      try await ledger.add(
        destination.record(at: Date()),
        marker: marker.map { SyncMarkerRecord(id: $0.id, sequence: $0.sequence) })
    }
    guard isNew else { throw SyncDestinationError.taken(destination.name) }
  }

  /// Removes a destination and the record of what was sent to it. The data at the destination is kept. A run
  /// that is sending to the destination ends.
  ///
  /// - Throws: `SyncDestinationError.unknown`.
  public func remove(_ name: String) async throws {
    try await require(name) { try await ledger.remove(named: name) }
  }

  /// Makes the current or next run send everything again and replace the data at the destination.
  ///
  /// - Throws: `SyncDestinationError.unknown`.
  public func reset(_ name: String) async throws {
    try await require(name) { try await ledger.reset(named: name) }
  }

  /// Makes the current or next run retry the records in the dead-letter list immediately.
  ///
  /// - Throws: `SyncDestinationError.unknown`.
  public func resetSetAside(_ name: String) async throws {
    try await require(name) { try await ledger.resetDeadLetters(named: name) }
  }

  /// Records the error that prevents a running gateway from publishing the current heart rate to the
  /// destination, or `nil` if there is no error or the gateway has stopped.
  package func recordLiveFailure(_ failure: ExternalStoreError?, of name: String) async throws {
    try await HKError.translating {
      guard let destination = try await ledger.destination(named: name) else { return }
      try await ledger.recordLiveFailure(
        failure.map { ($0.description, $0.outlook == .lasting) }, of: destination.id,
        at: Microseconds.clamped(Date()))
    }
  }

  /// Returns whether there is anything left to send to a destination. Changes are not counted, so the call is
  /// cheap enough for polling.
  ///
  /// - Throws: `SyncDestinationError.unknown`.
  package func outstanding(_ name: String) async throws -> Outstanding {
    try await HKError.translating {
      guard let destination = try await ledger.destination(named: name),
        let cursors = try await ledger.state(of: destination.id)?.cursors
      else { return nil as Outstanding? }
      let positions = Dictionary(
        cursors.map { ($0.type, $0.cursor) }, uniquingKeysWith: { first, _ in first })
      return Outstanding(
        hasChanges: try await store.hasPendingChange(
          of: destination.types(in: ledger), destination.filter, after: positions),
        untried: try await ledger.urgedRefusalCount(of: destination.id),
        failure: destination.failure?.text, lastSuccess: destination.lastSuccess.map(Microseconds.date))
    }.orThrow(SyncDestinationError.unknown(name))
  }

  /// Returns the records in the dead-letter list (the records that the destination rejected), sorted by
  /// UUID.
  ///
  /// - Throws: `SyncDestinationError.unknown`.
  public func setAside(_ name: String, limit: Int = 100) async throws -> [RejectedRecord] {
    try await HKError.translating {
      guard let destination = try await ledger.destination(named: name) else {
        return nil as [RejectedRecord]?
      }
      return try await ledger.deadLetters(of: destination.id, limit: limit).map {
        RejectedRecord(
          uuid: $0.uuid, type: $0.type, reason: $0.reason, since: Microseconds.date($0.since),
          attempts: $0.attempts)
      }
    }.orThrow(SyncDestinationError.unknown(name))
  }

  /// Returns the status of all destinations, sorted by name.
  /// - Throws: `HKError`.
  public func status() async throws -> [SyncStatus] {
    try await HKError.translating {
      var statuses: [SyncStatus] = []
      for destination in try await ledger.destinations() { statuses.append(try await status(destination)) }
      return statuses
    }
  }

  private func status(_ destination: SyncDestinationRecord) async throws -> SyncStatus {
    let cursors = try await ledger.state(of: destination.id)?.cursors ?? []
    let positions = Dictionary(cursors.map { ($0.type, $0.cursor) }, uniquingKeysWith: { first, _ in first })
    let pending = try await store.pendingChanges(
      of: destination.types(in: ledger), destination.filter, after: positions)
    let described = SyncDestination(destination)
    let (sent, deleted) = (cursors.reduce(0) { $0 + $1.sent }, cursors.reduce(0) { $0 + $1.deleted })
    let setAside = try await ledger.refusalCount(of: destination.id)
    let rejections = try await rejections(of: destination)
    let isRunning = ledger.isRunning(destination)
    // A killed gateway leaves `liveFailure` (its error from publishing the current heart rate) behind. So
    // ignore it unless a run is active.
    let failure = destination.failure ?? (isRunning ? destination.liveFailure : nil)
    let isAllRejected = sent + deleted == 0 && setAside + rejections.reduce(0) { $0 + $1.samples } > 0
    let state: SyncStatus.State =
      if let failure {
        failure.lasts ? .blocked : .failing
      } else if pending > 0 {
        isRunning ? .carrying : .waiting
      } else {
        isAllRejected ? .blocked : .current
      }
    return SyncStatus(
      name: described.name, kind: described.kind, state: state, sent: sent, deleted: deleted,
      setAside: setAside, pending: pending, lastSuccess: destination.lastSuccess.map(Microseconds.date),
      lastError: failure?.text, since: (failure?.since).map(Microseconds.date), types: described.types,
      rejections: rejections)
  }

  private func rejections(of destination: SyncDestinationRecord) async throws -> [SyncStatus.Rejection] {
    var rejections: [SyncStatus.Rejection] = []
    for record in try await ledger.rejections(of: destination.id) where destination.includes(record.type) {
      guard let type = SampleTypes.type(record.type) else { continue }
      // For types that the destination never accepts, count the samples in the store. They are not sent, but
      // their number changes.
      let count =
        if let count = record.count { count } else {
          try await store.storedSamples(of: type, destination.filter)
        }
      guard count > 0 else { continue }
      rejections.append(
        SyncStatus.Rejection(type: record.type, samples: count, reason: record.reason))
    }
    return rejections
  }

  private func require(_ name: String, _ work: () async throws -> Bool) async throws {
    guard try await HKError.translating(work) else { throw SyncDestinationError.unknown(name) }
  }
}

/// What is left to send to a destination.
package struct Outstanding: Sendable {
  /// Whether there are changes that have not been sent.
  package let hasChanges: Bool
  /// The number of dead-letter records that the user wants to retry immediately and that have not been
  /// retried yet.
  package let untried: Int
  /// The error of the last attempt, or `nil` if it succeeded.
  package let failure: String?
  package let lastSuccess: Date?
}

struct ListedDestination: Sendable {
  let id: Int64
  let destination: SyncDestination
}

extension HKHealthStore {
  /// Returns the number of unsent changes for some types. A type that this program may not read counts as 0.
  func pendingChanges(
    of types: [HKSampleType], _ filter: SampleFilter, after positions: [String: ChangeLogCursor]
  ) async throws -> Int {
    var count = 0
    for type in types {
      do {
        count += try await changeCount(of: type, filter, after: positions[type.identifier])
      } catch HKError.errorAuthorizationNotDetermined {
        continue
      }
    }
    return count
  }

  /// Returns the number of stored samples of a type, or 0 if this program may not read the type.
  fileprivate func storedSamples(of type: HKSampleType, _ filter: SampleFilter) async throws -> Int {
    do {
      return try await sampleCount(of: type, filter)
    } catch HKError.errorAuthorizationNotDetermined {
      return 0
    }
  }

  /// Returns whether there are unsent changes for some types. Types that this program may not read are
  /// skipped.
  fileprivate func hasPendingChange(
    of types: [HKSampleType], _ filter: SampleFilter, after positions: [String: ChangeLogCursor]
  ) async throws -> Bool {
    for type in types {
      do {
        if try await hasChange(of: type, filter, after: positions[type.identifier]) { return true }
      } catch HKError.errorAuthorizationNotDetermined {
        continue
      }
    }
    return false
  }
}

extension Optional {
  fileprivate func orThrow(_ error: @autoclosure () -> any Error) throws -> Wrapped {
    guard let self else { throw error() }
    return self
  }
}
