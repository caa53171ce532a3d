import Foundation
import HealthDataSync
import HealthKit
import Synchronization

/// A change of a destination's state.
struct SyncUpdate: Hashable, Sendable {
  /// The states of `hrgate sync status`, and two that exist only during a run.
  enum State: String, Sendable, CaseIterable {
    case carrying, current, failing, blocked
    /// Another process syncs to the destination.
    case elsewhere
    /// The destination was removed or the run ended.
    case stopped

    var isTrouble: Bool { self == .failing || self == .blocked }
  }

  /// Placeholder for the name if the list of destinations cannot be read. It is not a valid name.
  static let anyDestination = "*"

  var time: Date
  /// The person whose store is synced; `nil` for the account owner.
  var person: String?
  var destination: String
  var kind: String
  var state: State
  /// The error and its remedy, if sync fails.
  var error: String?
}

/// Derives state changes from sync progress. Sending a page is not a state change.
final class SyncReporter: Sendable {
  private struct Known {
    /// State of the sample sync.
    var state: SyncUpdate.State?
    var error: String?
    /// Error of the live-state publisher.
    var live: ExternalStoreError?
    /// The last reported change.
    var reported: SyncUpdate?
  }

  private let person: String?
  private let known = Mutex<[String: Known]>([:])

  init(of person: String? = nil) { self.person = person }

  /// - Returns: nil if nothing has changed.
  func update(of destination: SyncDestination, _ progress: SyncProgress) -> SyncUpdate? {
    change(destination) { known in
      guard let (state, error) = Self.state(progress.state, after: known.state) else { return false }
      (known.state, known.error) = (state, error)
      return true
    }
  }

  /// Updates the state of the live publisher.
  ///
  /// - Parameter live: The publisher's error; `nil` if it works again.
  /// - Returns: `nil` if nothing has changed.
  func update(of destination: SyncDestination, live: ExternalStoreError?) -> SyncUpdate? {
    change(destination) { known in
      known.live = live
      return true
    }
  }

  private func change(_ destination: SyncDestination, _ body: (inout Known) -> Bool) -> SyncUpdate? {
    known.withLock { all in
      var known = all[destination.name] ?? Known()
      guard body(&known) else { return nil }
      defer { all[destination.name] = known }
      guard let samples = known.state else { return nil }
      var (state, error) = (samples, known.error)
      // A sample error takes precedence: it also affects the live state and its message is more specific.
      if let live = known.live, samples == .current || samples == .carrying {
        (state, error) = (live.outlook == .lasting ? .blocked : .failing, live.description)
      }
      guard state != known.reported?.state || error != known.reported?.error else { return nil }
      let update = SyncUpdate(
        time: Date(), person: person, destination: destination.name, kind: destination.kind, state: state,
        error: error)
      known.reported = update
      return update
    }
  }

  /// Updates the error of reading the list of destinations.
  ///
  /// - Parameter failure: The error; `nil` if the list can be read again.
  /// - Returns: `nil` if nothing has changed.
  func update(ofAll failure: ExternalStoreError?) -> SyncUpdate? {
    known.withLock { all in
      let before = all[SyncUpdate.anyDestination]?.reported
      guard failure?.description != before?.error else { return nil }
      let state: SyncUpdate.State = failure.map { $0.outlook == .lasting ? .blocked : .failing } ?? .current
      let update = SyncUpdate(
        time: Date(), person: person, destination: SyncUpdate.anyDestination, kind: "", state: state,
        error: failure?.description)
      all[SyncUpdate.anyDestination] = Known(reported: update)
      return update
    }
  }

  private static func state(
    _ state: SyncProgress.State, after before: SyncUpdate.State?
  ) -> (SyncUpdate.State, String?)? {
    switch state {
    // An attempt to open the destination is not reported; its result is.
    case .opening: nil
    // An up-to-date destination receives each new measurement within a second; do not report each one.
    case .carrying: before == .current ? nil : (.carrying, nil)
    case .idle: (.current, nil)
    case .waiting(let error, pause: _):
      (error.outlook == .lasting ? .blocked : .failing, error.description)
    case .elsewhere: (.elsewhere, nil)
    case .ended: (.stopped, nil)
    }
  }
}

extension SyncFleet {
  /// Creates a fleet that syncs to all destinations of a store.
  init(
    _ store: HKHealthStore, troubled: @escaping @Sendable (ExternalStoreError?) -> Void,
    listener: @escaping @Sendable (SyncDestination, SyncProgress) -> Void
  ) {
    self.init(store, makeStore: { DestinationStore($0) }, troubled: troubled, listener: listener)
  }
}
