import Foundation
public import HealthKit
import HealthStorage

/// The destinations of a store: those of its user through the system's handle, those of a program through the
/// program's. They are kept in the store.
public struct SyncDestinations: Sendable {
  private let store: HKHealthStore
  private let ledger: SyncLedger

  /// - Throws: `HKError`: errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible.
  public init(_ store: HKHealthStore) throws {
    self.store = store
    ledger = try store.syncLedger()
  }

  /// In the order of their names.
  /// - Throws: `HKError`, as everything below.
  public func list() async throws -> [SyncDestination] {
    try await HKError.translating { try await ledger.destinations().map { SyncDestination($0) } }
  }

  /// What tells this store, and so the gateway that carries it, from all others: random, made with the store,
  /// and the same ever after. A copy of the store has it too.
  public func gatewayID() async throws -> String {
    try await HKError.translating { try await ledger.storeIdentity() }
  }

  /// The same with what tells two from each other that had the same name one after the other.
  func listed() async throws -> [ListedDestination] {
    try await HKError.translating {
      try await ledger.destinations().map { ListedDestination(id: $0.id, destination: SyncDestination($0)) }
    }
  }

  /// - Parameter marker: the marker that was stored at the destination when it was tried out; nil for none.
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

  /// Forgets a destination and how far it has come. What it was sent stays there. A run that carries to it
  /// ends.
  /// - Throws: `SyncDestinationError.unknown`.
  public func remove(_ name: String) async throws {
    try await require(name) { try await ledger.remove(named: name) }
  }

  /// Has everything carried once more, from the beginning, in the place of what is there. A run that carries
  /// to it begins anew.
  /// - Throws: `SyncDestinationError.unknown`.
  public func reset(_ name: String) async throws {
    try await require(name) { try await ledger.reset(named: name) }
  }

  /// Has the records that are set aside tried again at once, by the run that carries to it or by the next.
  /// - Throws: `SyncDestinationError.unknown`.
  public func resetSetAside(_ name: String) async throws {
    try await require(name) { try await ledger.resetRefusals(named: name) }
  }

  /// Notes why a running gateway cannot publish its live state to a destination; nil: it can, or has ended.
  package func noteLiveFailure(_ failure: ExternalStoreError?, of name: String) async throws {
    try await HKError.translating {
      guard let destination = try await ledger.destination(named: name) else { return }
      try await ledger.noteLiveFailure(
        failure.map { ($0.description, $0.outlook == .lasting) }, of: destination.id,
        at: Microseconds.clamped(Date()))
    }
  }

  /// What is left to do for a destination, without counting all changes: cheap enough to ask often.
  /// - Throws: `SyncDestinationError.unknown`.
  package func outstanding(_ name: String) async throws -> Outstanding {
    try await HKError.translating {
      guard let destination = try await ledger.destination(named: name),
        let cursors = try await ledger.standing(of: destination.id)?.cursors
      else { return nil as Outstanding? }
      let places = Dictionary(cursors.map { ($0.type, $0.place) }, uniquingKeysWith: { first, _ in first })
      return Outstanding(
        hasChanges: try await store.hasPendingChange(
          of: destination.types(in: ledger), destination.filter, after: places),
        untried: try await ledger.urgedRefusalCount(of: destination.id),
        failure: destination.failure?.text, lastSuccess: destination.lastSuccess.map(Microseconds.date))
    }.orThrow(SyncDestinationError.unknown(name))
  }

  /// The records that a destination does not take, in the order of their UUIDs.
  /// - Throws: `SyncDestinationError.unknown`.
  public func setAside(_ name: String, limit: Int = 100) async throws -> [SetAsideRecord] {
    try await HKError.translating {
      guard let destination = try await ledger.destination(named: name) else {
        return nil as [SetAsideRecord]?
      }
      return try await ledger.refusals(of: destination.id, limit: limit).map {
        SetAsideRecord(
          uuid: $0.uuid, type: $0.type, reason: $0.reason, since: Microseconds.date($0.since),
          attempts: $0.attempts)
      }
    }.orThrow(SyncDestinationError.unknown(name))
  }

  /// How each of them is, in the order of their names.
  public func status() async throws -> [SyncStatus] {
    try await HKError.translating {
      var statuses: [SyncStatus] = []
      for destination in try await ledger.destinations() { statuses.append(try await status(destination)) }
      return statuses
    }
  }

  private func status(_ destination: SyncDestinationRecord) async throws -> SyncStatus {
    let cursors = try await ledger.standing(of: destination.id)?.cursors ?? []
    let places = Dictionary(cursors.map { ($0.type, $0.place) }, uniquingKeysWith: { first, _ in first })
    let pending = try await store.pendingChanges(
      of: destination.types(in: ledger), destination.filter, after: places)
    let described = SyncDestination(destination)
    let (sent, deleted) = (cursors.reduce(0) { $0 + $1.sent }, cursors.reduce(0) { $0 + $1.deleted })
    let setAside = try await ledger.refusalCount(of: destination.id)
    let rejections = try await rejections(of: destination)
    let isRunning = ledger.isRunning(destination)
    // What a gateway noted that was killed says nothing.
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
      // Of what is not sent, what is stored counts: it changes without the destination.
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

/// What is left to do for a destination.
package struct Outstanding: Sendable {
  /// Whether there is anything that was never carried.
  package let hasChanges: Bool
  /// How many records that are set aside are to be tried at once, and have not been since.
  package let untried: Int
  /// Why the last attempt failed; nil if it did not.
  package let failure: String?
  package let lastSuccess: Date?
}

struct ListedDestination: Sendable {
  let id: Int64
  let destination: SyncDestination
}

extension HKHealthStore {
  /// How many changes of some types there are after a place for each; those of types that the handle may not
  /// ask for are none.
  func pendingChanges(
    of types: [HKSampleType], _ filter: SampleFilter, after places: [String: ChangeLogPlace]
  ) async throws -> Int {
    var count = 0
    for type in types {
      do {
        count += try await changeCount(of: type, filter, after: places[type.identifier])
      } catch HKError.errorAuthorizationNotDetermined {
        continue
      }
    }
    return count
  }

  /// How many samples of a type there are; none of a type that the handle may not ask for.
  fileprivate func storedSamples(of type: HKSampleType, _ filter: SampleFilter) async throws -> Int {
    do {
      return try await sampleCount(of: type, filter)
    } catch HKError.errorAuthorizationNotDetermined {
      return 0
    }
  }

  /// Whether there is any, likewise.
  fileprivate func hasPendingChange(
    of types: [HKSampleType], _ filter: SampleFilter, after places: [String: ChangeLogPlace]
  ) async throws -> Bool {
    for type in types {
      do {
        if try await hasChange(of: type, filter, after: places[type.identifier]) { return true }
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
