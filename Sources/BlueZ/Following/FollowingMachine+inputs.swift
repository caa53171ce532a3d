import Bluetooth
import DBus

/// What each input changes before the machine reconciles.
extension FollowingMachine {
  /// - Returns: Whether there may be something to reconcile.
  mutating func apply(_ input: Input) -> Bool {
    switch input {
    case .busOpened:
      isBusOpen = true
    case .busLost:
      isBusOpen = false
      refusal = nil
      loseDaemon(.busAbsent)
    case .refused(let refusal):
      isBusOpen = false
      self.refusal = refusal
      loseDaemon(refusal.state)
      isDaemonPresent = nil
      for address in monitors.addresses { set(refusal.state, address, detail: refusal.detail) }
    case .tree(let event):
      return apply(event)
    case .value(let path, let octets):
      return receive(octets, at: path)
    case .answered(let id, let answer):
      let purpose = purposes.removeValue(forKey: id)
      if answer.isWord { hearDaemon() }
      guard let purpose else { return false }
      if !postpone(answer, to: id, for: purpose) { apply(answer, to: id, for: purpose) }
    case .monitors(let monitors):
      follow(monitors)
    case .timer:
      flushHeld()
    case .clockSet(let setting, let step):
      setClock(to: setting, step)
    case .slept:
      interrupt(.suspended)
    case .stop:
      stop()
    }
    return true
  }

  // MARK: - The tree

  /// - Returns: Whether anything but measurements came.
  private mutating func apply(_ event: TreeEvent) -> Bool {
    let wasInDoubt = isDaemonInDoubt
    switch event {
    case .snapshot:
      refusal = nil
      isDaemonPresent = true
    case .daemonVanished:
      refusal = nil
      loseDaemon(.daemonAbsent)
    case .signalsLost:
      interrupt(.overflow)
    case .interfacesAdded, .interfacesRemoved, .propertiesChanged: break
    }
    if event.isWord { hearDaemon() }
    var isRelevant = wasInDoubt
    for change in tree.apply(event) {
      switch change {
      case .value(let path, let bytes):
        if let address = measurementPaths[path] { receive(AttributeValue(bytes), from: address) }
      case .removed(let path, _):
        loseMeasurement(at: path)
        isRelevant = true
      case .changed(let path, BlueZInterface.device, let names):
        if names.contains("RSSI") { hear(path) }
        isRelevant = isRelevant || !names.isSubset(of: Self.advertisedProperties)
      case .added(let path, let interface):
        // What is there when the conversation begins was heard nobody knows when.
        if case .interfacesAdded = event, interface == BlueZInterface.device { hear(path) }
        if interface == BlueZInterface.gattCharacteristic { findMeasurement(at: path) }
        isRelevant = true
      case .changed(let path, BlueZInterface.gattCharacteristic, let names):
        if names.contains("NotifyAcquired"), !tree.isAcquired(path) { findMeasurement(at: path) }
        isRelevant = true
      case .changed:
        isRelevant = true
      }
    }
    switch event {
    // Also where nothing differs: it is known now whether bluetoothd is there.
    case .snapshot, .daemonVanished, .signalsLost: return true
    case .interfacesAdded, .interfacesRemoved, .propertiesChanged: return isRelevant
    }
  }

  /// A discovery, whosever it is, hears a device, or hears none any more.
  private mutating func hear(_ path: ObjectPath) {
    guard let device = tree.device(at: path), let rssi = device.rssi, monitors[device.address] != nil else {
      return
    }
    commands.append(.hear(HeardSignal(monitor: device.address, rssi: rssi, time: time)))
  }

  /// Changes with each advertisement of each device in the air, and decides nothing.
  private static let advertisedProperties: Set<String> = [
    "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingFlags", "AdvertisingData",
  ]

  /// An object went; it may have been a characteristic that measures.
  private mutating func loseMeasurement(at path: ObjectPath) {
    if let address = measurementPaths[path] {
      // Where the attributes come again under a link that stands, they are subscribed to anew; if all is
      // going, so is the link.
      monitors.updateLink(address) { link in
        guard case .active = link.subscription else { return }
        link.subscription = .wanted(notBefore: now + policy.firstRetry)
      }
    }
    measurementPaths[path] = nil
    heldSubscriptions.remove(path)
  }

  // MARK: - Answers

  mutating func apply(_ answer: BlueZAnswer, to id: CallID, for purpose: Purpose) {
    switch purpose {
    case .connect(let address, let attempt):
      judge(address, by: attempt, answer)
      connectAnswered(answer, to: id, address)
    case .subscribe(let address, let path): startNotifyAnswered(answer, address, path)
    case .renew(let address, let path): renewAnswered(answer, address, path)
    case .resubscribe(let address, let path): stopNotifyAnswered(answer, address, path)
    case .describe(let address, let device, let uuid): readAnswered(answer, address, device, uuid)
    case .resetEnergy(let address): energyResetAnswered(answer, address)
    case .removeDevice(let address): removeDeviceAnswered(answer, address)
    case .register(let adapter): registerAnswered(answer, at: adapter)
    case .filter(let adapter): filterAnswered(answer, at: adapter)
    case .startDiscovery(let adapter): startDiscoveryAnswered(answer, at: adapter)
    case .stopDiscovery(let adapter): pauseDiscovery(by: adapter)
    case .separate(let address):
      pingAnswered(answer)
      separate(address)
    case .probe: pingAnswered(answer)
    }
  }

  // MARK: - The monitors to follow

  private mutating func follow(_ wanted: [FollowedMonitor]) {
    let wantedAddresses = Set(wanted.map(\.address))
    for address in monitors.addresses where !wantedAddresses.contains(address) { unfollow(address) }
    for monitor in wanted where monitors[monitor.address] == nil {
      monitors.add(Monitor(monitor, policy: policy, now: now))
    }
  }

  private mutating func unfollow(_ address: BluetoothAddress) {
    guard let monitor = monitors[address] else { return }
    giveBack(monitor)
    if monitor.link != nil { loseLink(address, .gatewayStopped) }
    measurementPaths = measurementPaths.filter { $0.value != address }
    monitors.remove(address)
    emit(.released(.address(address)))
  }

  /// What bluetoothd holds for us: the subscription, and an attempt of ours.
  private mutating func giveBack(_ monitor: Monitor) {
    let paths = measurementPaths.filter { $0.value == monitor.address }.keys
    for path in paths.sorted(by: { $0.rawValue < $1.rawValue }) where heldSubscriptions.contains(path) {
      heldSubscriptions.remove(path)
      callOnly(.stopNotify(characteristic: path))
    }
    if let attempt = monitor.attempt, !attempt.isForeign { callOnly(.disconnect(device: attempt.device)) }
  }

  // MARK: - Everything at once

  /// bluetoothd or the bus went: what was asked of it will not be answered, and no link is known of any more.
  private mutating func loseDaemon(_ state: FollowState) {
    isDaemonPresent = state == .busAbsent ? nil : false
    daemon = DaemonWatch()
    // A call may have reached the daemon that comes next. What it leaves there is known only by its answer,
    // and while the bus is there an answer comes.
    purposes = isBusOpen == true ? purposes.filter(\.value.outlivesDaemon) : [:]
    measurementPaths.removeAll()
    heldSubscriptions.removeAll()
    duties.removeAll()
    _ = tree.apply(.daemonVanished)
    let cause: GapCause = refusal?.cause ?? (state == .busAbsent ? .busAbsent : .daemonAbsent)
    for address in monitors.addresses {
      if monitors[address]?.link != nil { loseLink(address, cause) }
      monitors.update(address) { $0.forgetDaemon(now: now) }
    }
  }

  /// Notifications may be missing here, or their times do not go on from those before.
  private mutating func interrupt(_ cause: GapCause) {
    // What is held came before what is told next.
    endTimes(isLossy: cause != .clockStep)
    for address in monitors.addresses where monitors[address]?.link != nil {
      emit(.gapBegan(.address(address), cause, time))
    }
    emit(.interrupted(time))
  }

  /// What is held goes on, and the times of what comes do not go on from it.
  private mutating func endTimes(isLossy: Bool) {
    for address in monitors.addresses {
      handOnHeld(of: address)
      monitors.update(address) { $0.beginTimesAnew(isLossy: isLossy) }
    }
  }

  private mutating func setClock(to setting: ClockSetting, _ step: Duration) {
    // Times go on from a later one, so intervals across the step are none. Where they go back nothing is
    // missing; what is held was told by the setting before.
    if step > .zero {
      interrupt(.clockStep)
    } else {
      endTimes(isLossy: false)
    }
    let distance = max(step, .zero - step)
    if distance > .microseconds(ReceiptClock.leastSetting) { emit(.clockSet(setting, time)) }
  }

  /// Gives back what bluetoothd holds for us. Links stay: closing them is not ours to decide, and a monitor
  /// that is connected sleeps no worse.
  private mutating func stop() {
    for address in monitors.addresses {
      handOnHeld(of: address)
      if let monitor = monitors[address] { giveBack(monitor) }
    }
    for path in duties.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      if case .running = duties[path]?.discovery { callOnly(.stopDiscovery(adapter: path)) }
    }
    isStopping = true
  }
}

extension TreeEvent {
  /// bluetoothd itself said it.
  fileprivate var isWord: Bool {
    switch self {
    case .snapshot, .interfacesAdded, .interfacesRemoved, .propertiesChanged: true
    case .daemonVanished, .signalsLost: false
    }
  }
}

extension BlueZAnswer {
  /// bluetoothd itself gave it, not our patience or the bus.
  fileprivate var isWord: Bool {
    guard case .failed(let error) = self else { return true }
    switch error.meaning {
    case .noAnswer, .daemonAbsent: return false
    default: return true
    }
  }
}
