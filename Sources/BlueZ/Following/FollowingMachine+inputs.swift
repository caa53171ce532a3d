import Bluetooth
import DBus

/// Handles the inputs of the state machine: what each input changes before the desired state is compared with
/// the object tree.
extension FollowingMachine {
  /// - Returns: Whether the desired state has to be compared with the object tree.
  mutating func apply(_ input: Input) -> Bool {
    switch input {
    case .busOpened:
      isBusOpen = true
    case .busLost:
      isBusOpen = false
      accessFailure = nil
      loseDaemon(.busAbsent)
    case .refused(let accessFailure):
      isBusOpen = false
      self.accessFailure = accessFailure
      loseDaemon(accessFailure.state)
      isDaemonPresent = nil
      for address in monitors.addresses { set(accessFailure.state, address, detail: accessFailure.detail) }
    case .tree(let event):
      return apply(event)
    case .value(let path, let attribute):
      return receive(attribute, at: path)
    case .answered(let id, let reply):
      let pendingCall = purposes.removeValue(forKey: id)
      if reply.isWord { recordDaemonResponse() }
      guard let pendingCall else { return false }
      if !postpone(reply, to: id, for: pendingCall) { apply(reply, to: id, for: pendingCall) }
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

  /// - Returns: Whether the event contains anything but measurements.
  private mutating func apply(_ event: TreeEvent) -> Bool {
    let wasInDoubt = isDaemonInDoubt
    switch event {
    case .snapshot:
      accessFailure = nil
      isDaemonPresent = true
    case .daemonVanished:
      accessFailure = nil
      loseDaemon(.daemonAbsent)
    case .signalsLost:
      interrupt(.overflow)
    case .interfacesAdded, .interfacesRemoved, .propertiesChanged: break
    }
    if event.isWord { recordDaemonResponse() }
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
        // It is unknown when bluetoothd received the devices of the initial snapshot, so their signal
        // strength is not reported.
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
    // Reconcile even if no object has changed, because it is now known whether bluetoothd is running.
    case .snapshot, .daemonVanished, .signalsLost: return true
    case .interfacesAdded, .interfacesRemoved, .propertiesChanged: return isRelevant
    }
  }

  /// Reports the signal strength of a followed monitor that is advertising. The advertisement may have been
  /// received during another client's discovery.
  private mutating func hear(_ path: ObjectPath) {
    guard let device = tree.device(at: path), let rssi = device.rssi, monitors[device.address] != nil else {
      return
    }
    commands.append(.hear(HeardSignal(monitor: device.address, rssi: rssi, time: time)))
  }

  /// Properties that may change with each advertisement. Their changes are ignored, because no decision
  /// depends on them.
  private static let advertisedProperties: Set<String> = [
    "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingFlags", "AdvertisingData",
  ]

  /// Handles the removal of a D-Bus object. If it is a monitor's measurement characteristic, the subscription
  /// is gone.
  private mutating func loseMeasurement(at path: ObjectPath) {
    if let address = measurementPaths[path] {
      // bluetoothd may remove and add the characteristics while the link exists. In that case, subscribe
      // again. If the device is removed too, the link ends.
      monitors.updateLink(address) { link in
        guard case .active = link.subscription else { return }
        link.subscription = .wanted(notBefore: now + policy.firstRetry)
      }
    }
    measurementPaths[path] = nil
    heldSubscriptions.remove(path)
  }

  // MARK: - Answers

  mutating func apply(_ reply: BlueZReply, to id: CallID, for pendingCall: PendingCall) {
    switch pendingCall {
    case .connect(let address, let attempt):
      judge(address, by: attempt, reply)
      connectAnswered(reply, to: id, address)
    case .subscribe(let address, let path): startNotifyAnswered(reply, address, path)
    case .renew(let address, let path): renewAnswered(reply, address, path)
    case .resubscribe(let address, let path): stopNotifyAnswered(reply, address, path)
    case .describe(let address, let device, let uuid): readAnswered(reply, address, device, uuid)
    case .resetEnergy(let address): energyResetAnswered(reply, address)
    case .removeDevice(let address): removeDeviceAnswered(reply, address)
    case .register(let adapter): registerAnswered(reply, at: adapter)
    case .filter(let adapter): filterAnswered(reply, at: adapter)
    case .startDiscovery(let adapter): startDiscoveryAnswered(reply, at: adapter)
    case .stopDiscovery(let adapter): pauseDiscovery(by: adapter)
    case .separate(let address):
      pingAnswered(reply)
      separate(address)
    case .probe: pingAnswered(reply)
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
    release(monitor)
    if monitor.link != nil { loseLink(address, .gatewayStopped) }
    measurementPaths = measurementPaths.filter { $0.value != address }
    monitors.remove(address)
    emit(.released(.address(address)))
  }

  /// Ends the subscription and the connection attempt that bluetoothd holds for this program.
  private mutating func release(_ monitor: Monitor) {
    let paths = measurementPaths.filter { $0.value == monitor.address }.keys
    for path in paths.sorted(by: { $0.rawValue < $1.rawValue }) where heldSubscriptions.contains(path) {
      heldSubscriptions.remove(path)
      callOnly(.stopNotify(characteristic: path))
    }
    if let attempt = monitor.attempt, !attempt.isForeign { callOnly(.disconnect(device: attempt.device)) }
  }

  // MARK: - Everything at once

  /// Handles the end of bluetoothd or of the bus: pending calls will not be answered, and all links are lost.
  private mutating func loseDaemon(_ state: FollowState) {
    isDaemonPresent = state == .busAbsent ? nil : false
    daemon = DaemonWatch()
    // A pending call may be delivered to bluetoothd after it restarts. Keep the calls that would have an
    // effect then, until their replies arrive. While the bus runs, each call gets a reply or an error.
    purposes = isBusOpen == true ? purposes.filter(\.value.outlivesDaemon) : [:]
    measurementPaths.removeAll()
    heldSubscriptions.removeAll()
    duties.removeAll()
    _ = tree.apply(.daemonVanished)
    let cause: GapCause = accessFailure?.cause ?? (state == .busAbsent ? .busAbsent : .daemonAbsent)
    for address in monitors.addresses {
      if monitors[address]?.link != nil { loseLink(address, cause) }
      monitors.update(address) { $0.forgetDaemon(now: now) }
    }
  }

  /// Reports a gap for all linked monitors, because notifications may be missing, or because later times
  /// cannot be compared with earlier ones.
  private mutating func interrupt(_ cause: GapCause) {
    // Held measurements, which may be copies or late, are from before the gap, so emit them first.
    endTimes(isLossy: cause != .clockStep)
    for address in monitors.addresses where monitors[address]?.link != nil {
      emit(.gapBegan(.address(address), cause, time))
    }
    emit(.interrupted(time))
  }

  /// Emits the held measurements, which may be copies or late. Later receipt times cannot be compared with
  /// theirs.
  private mutating func endTimes(isLossy: Bool) {
    for address in monitors.addresses {
      handOnHeld(of: address)
      monitors.update(address) { $0.resetTimes(isLossy: isLossy) }
    }
  }

  private mutating func setClock(to setting: ClockSetting, _ step: Duration) {
    // After a step forward, the interval between the measurements around it is wrong. After a step back, no
    // time is missing, but held values have times of the old setting.
    if step > .zero {
      interrupt(.clockStep)
    } else {
      endTimes(isLossy: false)
    }
    let distance = max(step, .zero - step)
    if distance > .microseconds(ReceiptClock.leastSetting) { emit(.clockSet(setting, time)) }
  }

  /// Ends the subscriptions and connection attempts that bluetoothd holds for this program. Links are kept:
  /// the user decides when to close them, and a connected monitor uses little more power.
  private mutating func stop() {
    for address in monitors.addresses {
      handOnHeld(of: address)
      if let monitor = monitors[address] { release(monitor) }
    }
    for path in duties.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      if case .running = duties[path]?.discovery { callOnly(.stopDiscovery(adapter: path)) }
    }
    isStopping = true
  }
}

extension TreeEvent {
  /// Whether bluetoothd itself sent the event.
  fileprivate var isWord: Bool {
    switch self {
    case .snapshot, .interfacesAdded, .interfacesRemoved, .propertiesChanged: true
    case .daemonVanished, .signalsLost: false
    }
  }
}

extension BlueZReply {
  /// Whether bluetoothd itself sent the reply. A timeout and an error of the bus daemon are not from
  /// bluetoothd.
  fileprivate var isWord: Bool {
    guard case .failed(let error) = self else { return true }
    switch error.meaning {
    case .noAnswer, .daemonAbsent: return false
    default: return true
    }
  }
}
