import BlueZ
import Bluetooth
import HealthStorage
import Ingestion
import Synchronization

/// Keeps in the store how far the gateway is with each monitor: the newest state at most once a second, and
/// without the attempts to connect.
final class StatusKeeper: Sendable {
  fileprivate struct News: Hashable {
    var state: FollowState
    var adapter: BluetoothAddress?
    /// `nil` where no link has shown it.
    var isBonded: Bool?
  }

  private struct State {
    var pending: [BluetoothAddress: News] = [:]
    /// What the store holds, or is just being given.
    var kept: [BluetoothAddress: News] = [:]
  }

  private let registry: MonitorRegistry
  private let pause: Duration
  private let clock: any Clock<Duration>
  private let state = Mutex(State())
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init(
    _ registry: MonitorRegistry, pause: Duration = .seconds(1), clock: any Clock<Duration> = .continuous
  ) {
    self.registry = registry
    self.pause = pause
    self.clock = clock
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// A monitor's state has changed. Never waits.
  func note(_ status: FollowStatus) {
    let isNew = state.withLock { state in
      let before = state.pending[status.monitor]
      let kept = state.kept[status.monitor]
      // A state without a link names no adapter, and says nothing of the bond: what was known of them stays.
      let news = News(
        state: status.state.lasting, adapter: status.adapter ?? before?.adapter ?? kept?.adapter,
        isBonded: status.isBonded ?? before?.isBonded ?? kept?.isBonded)
      state.pending[status.monitor] = news == kept ? nil : news
      return news != kept
    }
    if isNew { signal.yield() }
  }

  /// Monitors were enrolled or forgotten: the store may no longer hold their states. A new bond is not lost.
  func enrolmentsChanged() {
    state.withLock { state in
      for (address, news) in state.kept where state.pending[address] == nil {
        state.pending[address] = News(state: news.state, adapter: news.adapter)
      }
      state.kept.removeAll()
    }
    signal.yield()
  }

  /// Keeps what is noted, until the task is cancelled.
  func run() async {
    for await _ in signals {
      await keepPending()
      try? await clock.sleep(for: pause)
    }
  }

  /// The gateway begins: the states that a killed one left are of the past.
  func begin() async { await stopAll(with: [:]) }

  /// The gateway ends: what is not kept yet goes into the store with the last state.
  func end() async { await stopAll(with: takePending()) }

  /// In one transaction: a locked store is waited for once, and not once for each monitor.
  private func stopAll(with pending: [BluetoothAddress: News]) async {
    do {
      let followed = try await registry.monitors().filter { $0.state != nil || pending[$0.address] != nil }
      let statuses = followed.map { monitor in
        var status =
          pending[monitor.address]?.status(of: monitor.address) ?? .init(address: .init(monitor.address))
        status.state = MonitorState.stopped.rawValue
        return status
      }
      _ = try await registry.updateStatuses(statuses)
    } catch {
      // The next gateway writes it; until then ``MonitorRegistry/hasGateway`` says that none runs.
    }
  }

  /// Keeps what was noted and is not kept yet.
  func keepPending() async {
    let pending = takePending()
    do {
      let enrolled = try await registry.updateStatuses(pending.map { $1.status(of: $0) })
      state.withLock { state in
        for address in pending.keys where !enrolled.contains(AddressRecord(address)) {
          state.kept[address] = nil
        }
      }
    } catch {
      putBack(pending)
    }
  }

  private func takePending() -> [BluetoothAddress: News] {
    state.withLock { state in
      defer { state.pending.removeAll() }
      state.kept.merge(state.pending) { $1 }
      return state.pending
    }
  }

  /// A store that is locked or full is tried again, with what is newest by then.
  private func putBack(_ pending: [BluetoothAddress: News]) {
    state.withLock { state in
      for (address, news) in pending {
        state.kept[address] = nil
        var newest = state.pending[address] ?? news
        newest.adapter = newest.adapter ?? news.adapter
        newest.isBonded = newest.isBonded ?? news.isBonded
        state.pending[address] = newest
      }
    }
    signal.yield()
  }
}

extension StatusKeeper.News {
  fileprivate func status(of monitor: BluetoothAddress) -> MonitorStatusRecord {
    var status = MonitorStatusRecord(address: AddressRecord(monitor))
    status.adapter = adapter.map(AddressRecord.init)
    status.isBonded = isBonded
    status.state = MonitorState(state).rawValue
    return status
  }
}

extension FollowState {
  /// An attempt to connect to a monitor that is away comes and goes, and is not worth a commit each time.
  fileprivate var lasting: FollowState { self == .connecting ? .away : self }
}
