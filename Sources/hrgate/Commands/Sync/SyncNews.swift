import Foundation
import HealthDataSync
import HealthKit
import Synchronization

/// A destination is in another state than before.
struct SyncNews: Hashable, Sendable {
  /// As `hrgate sync status` names them, and two that only a run knows.
  enum State: String, Sendable, CaseIterable {
    case carrying, current, failing, blocked
    /// Another program carries to it.
    case elsewhere
    /// It was removed, or the run is over.
    case stopped

    var isTrouble: Bool { self == .failing || self == .blocked }
  }

  /// What stands for the name where it is not even known which destinations there are: none is called so.
  static let anyDestination = "*"

  var time: Date
  /// From whose store, where that is not the owner's.
  var person: String?
  var destination: String
  var kind: String
  var state: State
  /// Why it gets nothing now, with the remedy.
  var error: String?
}

/// Reports changes of state of the destinations: a page that was sent is none.
final class SyncNewsDesk: Sendable {
  private struct Known {
    /// Of the samples.
    var state: SyncNews.State?
    var error: String?
    /// Why the live state is not published.
    var live: ExternalStoreError?
    /// What was reported last.
    var told: SyncNews?
  }

  private let person: String?
  private let known = Mutex<[String: Known]>([:])

  init(of person: String? = nil) { self.person = person }

  /// - Returns: nil if nothing has changed.
  func news(of destination: SyncDestination, _ progress: SyncProgress) -> SyncNews? {
    change(destination) { known in
      guard let (state, error) = Self.state(progress.state, after: known.state) else { return false }
      (known.state, known.error) = (state, error)
      return true
    }
  }

  /// - Parameter live: why the live state of a gateway is not published there; nil: it is again.
  /// - Returns: nil if nothing has changed.
  func news(of destination: SyncDestination, live: ExternalStoreError?) -> SyncNews? {
    change(destination) { known in
      known.live = live
      return true
    }
  }

  private func change(_ destination: SyncDestination, _ body: (inout Known) -> Bool) -> SyncNews? {
    known.withLock { all in
      var known = all[destination.name] ?? Known()
      guard body(&known) else { return nil }
      defer { all[destination.name] = known }
      guard let samples = known.state else { return nil }
      var (state, error) = (samples, known.error)
      // What fails with the samples fails with the live state too, and says more.
      if let live = known.live, samples == .current || samples == .carrying {
        (state, error) = (live.outlook == .lasting ? .blocked : .failing, live.description)
      }
      guard state != known.told?.state || error != known.told?.error else { return nil }
      let news = SyncNews(
        time: Date(), person: person, destination: destination.name, kind: destination.kind, state: state,
        error: error)
      known.told = news
      return news
    }
  }

  /// - Parameter failure: why it is not known which destinations there are; nil: it is again.
  /// - Returns: nil where nothing is new.
  func news(ofAll failure: ExternalStoreError?) -> SyncNews? {
    known.withLock { all in
      let before = all[SyncNews.anyDestination]?.told
      guard failure?.description != before?.error else { return nil }
      let state: SyncNews.State = failure.map { $0.outlook == .lasting ? .blocked : .failing } ?? .current
      let news = SyncNews(
        time: Date(), person: person, destination: SyncNews.anyDestination, kind: "", state: state,
        error: failure?.description)
      all[SyncNews.anyDestination] = Known(told: news)
      return news
    }
  }

  private static func state(
    _ state: SyncProgress.State, after before: SyncNews.State?
  ) -> (SyncNews.State, String?)? {
    switch state {
    // What comes of it is the news.
    case .opening: nil
    // Where everything is there, what is measured next goes over at once, each second.
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
  /// To all destinations of a store, each opened as its address and its secret say.
  init(
    _ store: HKHealthStore, troubled: @escaping @Sendable (ExternalStoreError?) -> Void,
    listener: @escaping @Sendable (SyncDestination, SyncProgress) -> Void
  ) {
    self.init(store, makeStore: { DestinationStore($0) }, troubled: troubled, listener: listener)
  }
}
