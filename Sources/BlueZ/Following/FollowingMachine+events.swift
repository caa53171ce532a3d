import Bluetooth
import BluetoothCentral
import DBus

/// The monitors to follow, answers, and what concerns all links at once.
extension FollowingMachine {
  mutating func follow(_ monitors: [FollowedMonitor]) {
    let wanted = Set(monitors.map(\.address))
    for address in followed where !wanted.contains(address) { unfollow(address) }
    for monitor in monitors where links[monitor.address] == nil {
      var link = MonitorLink(
        monitor.address, preferredAdapter: monitor.preferredAdapter, policy: policy, now: now)
      link.wantsEnergyReset = monitor.resetsEnergy
      links[monitor.address] = link
    }
  }

  private mutating func unfollow(_ address: BluetoothAddress) {
    guard let link = links[address] else { return }
    unsubscribe(link)
    if let attempt = link.attempt, !attempt.isForeign { callOnly(.disconnect(device: attempt.device)) }
    if link.device != nil { loseLink(address, .gatewayStopped) }
    measurementPaths = measurementPaths.filter { $0.value != address }
    links[address] = nil
  }

  private mutating func unsubscribe(_ link: MonitorLink) {
    let paths = measurementPaths.filter { $0.value == link.address }.keys
    for path in paths.sorted(by: { $0.rawValue < $1.rawValue }) where heldSubscriptions.contains(path) {
      heldSubscriptions.remove(path)
      callOnly(.stopNotify(characteristic: path))
    }
  }

  mutating func take(_ answer: BlueZAnswer, to id: CallID, for purpose: Purpose) {
    switch purpose {
    case .connect(let address, _): takeConnect(answer, to: id, address)
    case .subscribe(let address, let path): takeSubscription(answer, address, path)
    case .resubscribe(let address, let path): takeUnsubscription(answer, address, path)
    case .describe(let address, let device, let uuid): takeDescription(answer, address, device, uuid)
    case .resetEnergy(let address): takeEnergyReset(answer, address)
    case .register(let adapter): takeRegistration(answer, at: adapter)
    case .filter(let adapter): takeFilter(answer, at: adapter)
    case .startDiscovery(let adapter): takeDiscoveryStart(answer, at: adapter)
    case .stopDiscovery(let adapter): pauseDiscovery(by: adapter)
    case .removeDevice(let address):
      // It went, or it could not: either way the link is judged by the tree again.
      if case .failed = answer { links[address]?.closing = nil }
    }
  }

  /// bluetoothd or the bus went: what was asked of it will not be answered, and no link is known of any more.
  mutating func loseDaemon(_ state: FollowState) {
    isDaemonPresent = state == .busAbsent ? nil : false
    // A call may have reached the daemon that comes next. What it leaves there is known only by its answer, and while the bus is there
    // an answer comes.
    purposes = isBusOpen == true ? purposes.filter(\.value.outlivesDaemon) : [:]
    measurementPaths.removeAll()
    heldSubscriptions.removeAll()
    duties.removeAll()
    _ = tree.apply(.daemonVanished)
    let cause: GapCause = refusal?.cause ?? (state == .busAbsent ? .busAbsent : .daemonAbsent)
    for address in followed {
      links[address]?.attempt = nil
      if links[address]?.isToldConnected == true { loseLink(address, cause) }
      links[address]?.nextAttempt = now
      links[address]?.resetBackOff()
      links[address]?.keptFromKernel = []
    }
  }

  /// The bus connection could not keep up. Notifications may be among what was lost.
  mutating func loseSignals(_ count: Int) {
    handOnHeld()
    for link in followed.compactMap({ links[$0] }) where link.isToldConnected {
      emit(.gapBegan(link.peripheral, .overflow, time))
    }
    emit(.interrupted(time))
  }

  /// What is held came before what is told next.
  private mutating func handOnHeld() {
    for address in followed { handOnHeld(of: address) }
  }

  /// Times go on from a later one: intervals across the step are none.
  mutating func tellClockStep() {
    handOnHeld()
    for link in followed.compactMap({ links[$0] }) where link.isToldConnected {
      emit(.gapBegan(link.peripheral, .clockStep, time))
    }
    emit(.interrupted(time))
  }

  /// Gives back what bluetoothd holds for us. Links stay: closing them is not ours to decide, and a strap that is connected sleeps no worse.
  mutating func stop() {
    for link in followed.compactMap({ links[$0] }) {
      handOnHeld(of: link.address)
      unsubscribe(link)
      if let attempt = link.attempt, !attempt.isForeign { callOnly(.disconnect(device: attempt.device)) }
    }
    for path in duties.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      if case .running = duties[path]?.discovery { callOnly(.stopDiscovery(adapter: path)) }
    }
    isStopping = true
  }
}
