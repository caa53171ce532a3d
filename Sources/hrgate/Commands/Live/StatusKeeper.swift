import Bluetooth
import BluetoothCentral
import BlueZ
import Ingestion
import Synchronization

/// Keeps in the store how far the gateway is with each monitor, for `hrgate monitors`: the newest at most once a second, because a
/// state may change with each attempt to connect.
final class StatusKeeper: Sendable {
  /// What the store says of a monitor that no gateway follows any more.
  static let stopped = "stopped"

  private struct News {
    var state: FollowState
    var adapter: BluetoothAddress?
    var lacksBond: Bool
  }

  private let registry: MonitorRegistry
  private let pause: Duration
  private let pending = Mutex<[BluetoothAddress: News]>([:])
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init(_ registry: MonitorRegistry, pause: Duration = .seconds(1)) {
    self.registry = registry
    self.pause = pause
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// A monitor's state has changed. Never waits.
  func tell(_ status: FollowStatus) {
    pending.withLock { pending in
      let before = pending[status.monitor]
      // A state in which there is no link names no adapter, and one after a lost bond does not say so again.
      pending[status.monitor] = News(
        state: status.state, adapter: status.adapter ?? before?.adapter,
        lacksBond: status.state.hasNoBond || before?.lacksBond == true)
    }
    signal.yield()
  }

  /// Keeps what is told, until the task is cancelled.
  func run() async {
    for await _ in signals {
      await keepPending()
      try? await Task.sleep(for: pause)
    }
  }

  /// The gateway ends.
  /// - Throws: `HKError`.
  func end() async throws {
    await keepPending()
    for monitor in try await registry.monitors() where monitor.state != nil {
      try await registry.updateStatus(of: monitor.address, state: Self.stopped)
    }
  }

  /// Keeps what was told and is not kept yet.
  func keepPending() async {
    let all = pending.withLock { pending in
      defer { pending.removeAll() }
      return pending
    }
    for (address, news) in all {
      do {
        try await registry.updateStatus(
          of: address, adapter: news.adapter, isBonded: news.lacksBond ? false : nil,
          state: news.state.rawValue)
      } catch {
        putBack(news, of: address)
      }
    }
  }

  /// A store that is locked or full is tried again, with what is newest then.
  private func putBack(_ news: News, of address: BluetoothAddress) {
    pending.withLock { pending in
      var newest = pending[address] ?? news
      newest.adapter = newest.adapter ?? news.adapter
      newest.lacksBond = newest.lacksBond || news.lacksBond
      pending[address] = newest
    }
    signal.yield()
  }
}

extension FollowState {
  /// The keys are gone, or there never were any.
  fileprivate var hasNoBond: Bool { self == .bondLost || self == .pairingNeeded }
}
