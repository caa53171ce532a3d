import BlueZ
import Bluetooth
import HealthStorage
import Ingestion
import Synchronization

/// Stores the state of each monitor: only the newest state, at most once a second. Connection attempts are
/// not stored, because they are frequent.
final class StatusKeeper: Sendable {
  fileprivate struct Update: Hashable {
    var state: FollowState
    var adapter: BluetoothAddress?
    /// Whether this host has a bond; `nil` if no connection has shown it yet.
    var isBonded: Bool?
  }

  private struct State {
    var pending: [BluetoothAddress: Update] = [:]
    /// The states that have been stored or are being stored.
    var kept: [BluetoothAddress: Update] = [:]
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

  /// Records a new state of a monitor, to be stored later. Does not wait.
  func note(_ status: FollowStatus) {
    let isNew = state.withLock { state in
      let before = state.pending[status.monitor]
      let kept = state.kept[status.monitor]
      // Without a link, the status has no adapter and no bond information. Keep the previous values.
      let update = Update(
        state: status.state.lasting, adapter: status.adapter ?? before?.adapter ?? kept?.adapter,
        isBonded: status.isBonded ?? before?.isBonded ?? kept?.isBonded)
      state.pending[status.monitor] = update == kept ? nil : update
      return update != kept
    }
    if isNew { signal.yield() }
  }

  /// Stores the states of all monitors again after the list of monitors has changed, because a monitor that
  /// was removed and added again has no stored state. The bond is not stored again, because the new pairing
  /// may have changed it.
  func enrolmentsChanged() {
    state.withLock { state in
      for (address, update) in state.kept where state.pending[address] == nil {
        state.pending[address] = Update(state: update.state, adapter: update.adapter)
      }
      state.kept.removeAll()
    }
    signal.yield()
  }

  /// Stores pending states until the task is canceled.
  func run() async {
    for await _ in signals {
      await keepPending()
      try? await clock.sleep(for: pause)
    }
  }

  /// Sets all monitors to `stopped` at the start, because states left by a killed gateway are outdated.
  func begin() async { await stopAll(with: [:]) }

  /// Stores the pending states at the end, and sets all monitors to `stopped`.
  func end() async { await stopAll(with: drainPending()) }

  /// Updates all monitors in one transaction, in order to wait only once for a locked store.
  private func stopAll(with pending: [BluetoothAddress: Update]) async {
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
      // Ignore the error: the next gateway sets the state, and ``MonitorRegistry/hasGateway`` returns false
      // until then.
    }
  }

  /// Stores the pending states.
  func keepPending() async {
    let pending = drainPending()
    do {
      let enrolled = try await registry.updateStatuses(pending.map { $1.status(of: $0) })
      state.withLock { state in
        for address in pending.keys where !enrolled.contains(AddressRecord(address)) {
          state.kept[address] = nil
        }
      }
    } catch {
      restore(pending)
    }
  }

  private func drainPending() -> [BluetoothAddress: Update] {
    state.withLock { state in
      defer { state.pending.removeAll() }
      state.kept.merge(state.pending) { $1 }
      return state.pending
    }
  }

  /// Makes states pending again after an error, such as a locked store or a full disk. A newer state of the
  /// same monitor takes precedence.
  private func restore(_ pending: [BluetoothAddress: Update]) {
    state.withLock { state in
      for (address, update) in pending {
        state.kept[address] = nil
        var newest = state.pending[address] ?? update
        newest.adapter = newest.adapter ?? update.adapter
        newest.isBonded = newest.isBonded ?? update.isBonded
        state.pending[address] = newest
      }
    }
    signal.yield()
  }
}

extension StatusKeeper.Update {
  fileprivate func status(of monitor: BluetoothAddress) -> MonitorStatusRecord {
    var status = MonitorStatusRecord(address: AddressRecord(monitor))
    status.adapter = adapter.map(AddressRecord.init)
    status.isBonded = isBonded
    status.state = MonitorState(state).rawValue
    return status
  }
}

extension FollowState {
  /// The state to store: `away` instead of `connecting`, because connection attempts are too frequent to
  /// store each.
  fileprivate var lasting: FollowState { self == .connecting ? .away : self }
}
