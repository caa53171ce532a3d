import BlueZ
import Bluetooth
import HealthStorage
import Ingestion
import Synchronization

/// Stores the gateway's state for each monitor: only the newest one, at most once a second, and without
/// attempts to connect.
final class StatusKeeper: Sendable {
  fileprivate struct News: Hashable {
    var state: FollowState
    var adapter: BluetoothAddress?
    /// `nil` if no link has shown it yet.
    var isBonded: Bool?
  }

  private struct State {
    var pending: [BluetoothAddress: News] = [:]
    /// The states that are stored, or being stored now.
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

  /// Records a change of a monitor's state. Never waits.
  func note(_ status: FollowStatus) {
    let isNew = state.withLock { state in
      let before = state.pending[status.monitor]
      let kept = state.kept[status.monitor]
      // A status without a link has no adapter and no bond information, so keep the previous values.
      let news = News(
        state: status.state.lasting, adapter: status.adapter ?? before?.adapter ?? kept?.adapter,
        isBonded: status.isBonded ?? before?.isBonded ?? kept?.isBonded)
      state.pending[status.monitor] = news == kept ? nil : news
      return news != kept
    }
    if isNew { signal.yield() }
  }

  /// Handles a change of the enrollments: the store may have lost the states. A new bond is kept.
  func enrolmentsChanged() {
    state.withLock { state in
      for (address, news) in state.kept where state.pending[address] == nil {
        state.pending[address] = News(state: news.state, adapter: news.adapter)
      }
      state.kept.removeAll()
    }
    signal.yield()
  }

  /// Stores recorded states until the task is canceled.
  func run() async {
    for await _ in signals {
      await keepPending()
      try? await clock.sleep(for: pause)
    }
  }

  /// Marks all monitors as stopped at the start. States that a killed gateway left are outdated.
  func begin() async { await stopAll(with: [:]) }

  /// Stores the pending states at the end, and marks all monitors as stopped.
  func end() async { await stopAll(with: takePending()) }

  /// Uses one transaction, so that a locked store is waited for once and not for each monitor.
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
      // The next gateway writes it. Until then ``MonitorRegistry/hasGateway`` returns false.
    }
  }

  /// Stores the states that were recorded and are not stored yet.
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

  /// Puts states back after an error (locked store, full disk). Newer states win.
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
  /// The state without attempts to connect: they come and go, and are not worth a commit each.
  fileprivate var lasting: FollowState { self == .connecting ? .away : self }
}
