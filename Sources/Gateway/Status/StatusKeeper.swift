import Bluetooth
import BluetoothCentral
import BlueZ
import Synchronization

/// Keeps in the store how far the gateway is with each monitor: the newest state at most once a second, and
/// without the attempts to connect.
final class StatusKeeper: Sendable {
  private struct News: Hashable {
    var state: FollowState
    var adapter: BluetoothAddress?
    var lacksBond: Bool
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
      // A state without a link names no adapter, and the states after a lost bond do not mention it again.
      let news = News(
        state: status.state.lasting, adapter: status.adapter ?? before?.adapter ?? kept?.adapter,
        lacksBond: status.state.hasNoBond || before?.lacksBond == true)
      state.pending[status.monitor] = news == kept ? nil : news
      return news != kept
    }
    if isNew { signal.yield() }
  }

  /// Monitors were enrolled or forgotten: the store may no longer hold their states. A new bond is not lost.
  func enrolmentsChanged() {
    state.withLock { state in
      for (address, news) in state.kept where state.pending[address] == nil {
        state.pending[address] = News(state: news.state, adapter: news.adapter, lacksBond: false)
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
  func begin() async { await markStopped() }

  /// The gateway ends.
  func end() async {
    await keepPending()
    await markStopped()
  }

  private func markStopped() async {
    do {
      for monitor in try await registry.monitors() where monitor.state != nil {
        try await registry.updateStatus(of: monitor.address, state: .stopped)
      }
    } catch {
      // The next gateway writes it; until then ``MonitorRegistry/hasGateway`` says that none runs.
    }
  }

  /// Keeps what was noted and is not kept yet.
  func keepPending() async {
    let all = state.withLock { state in
      defer { state.pending.removeAll() }
      state.kept.merge(state.pending) { $1 }
      return state.pending
    }
    for (address, news) in all {
      do {
        let isEnrolled = try await registry.updateStatus(
          of: address, adapter: news.adapter, isBonded: news.lacksBond ? false : nil,
          state: MonitorState(news.state))
        if !isEnrolled { state.withLock { $0.kept[address] = nil } }
      } catch {
        putBack(news, of: address)
      }
    }
  }

  /// A store that is locked or full is tried again, with what is newest by then.
  private func putBack(_ news: News, of address: BluetoothAddress) {
    state.withLock { state in
      state.kept[address] = nil
      var newest = state.pending[address] ?? news
      newest.adapter = newest.adapter ?? news.adapter
      newest.lacksBond = newest.lacksBond || news.lacksBond
      state.pending[address] = newest
    }
    signal.yield()
  }
}

extension FollowState {
  /// An attempt to connect to a monitor that is away comes and goes, and is not worth a commit each time.
  fileprivate var lasting: FollowState { self == .connecting ? .away : self }

  /// The keys are gone, or there never were any.
  fileprivate var hasNoBond: Bool { self == .bondLost || self == .pairingNeeded }
}
