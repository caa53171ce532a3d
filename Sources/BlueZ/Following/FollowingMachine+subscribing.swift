import Bluetooth
import DBus

/// The subscription to a monitor's measurements, and what to do if it fails.
extension FollowingMachine {
  mutating func subscribe(_ address: BluetoothAddress, _ device: Device1) {
    guard let measurement = tree.measurement(of: device.path), measurement.canNotify
    else { return lackMeasurement(address, device) }
    measurementPaths[measurement.path] = address
    if measurement.isNotifying, heldSubscriptions.contains(measurement.path) {
      // bluetoothd keeps a subscription across links and enables notifications again by itself. If a link
      // drops during that, bluetoothd forgets the subscription but leaves `Notifying` true, and every later
      // link is silent. StartNotify repairs that, and otherwise has no effect.
      activate(address, measurement.path, isConfirmed: false)
      call(.startNotify(characteristic: measurement.path), for: .renew(address, measurement.path))
      return
    }
    monitors.update(address) { $0.requestSubscription() }
    set(.subscribing, address)
    call(.startNotify(characteristic: measurement.path), for: .subscribe(address, measurement.path))
  }

  /// - Parameter isConfirmed: Whether the monitor has confirmed the subscription.
  private mutating func activate(_ address: BluetoothAddress, _ path: ObjectPath, isConfirmed: Bool) {
    heldSubscriptions.insert(path)
    monitors.updateLink(address) { $0.subscription = .active(path, since: now) }
    guard let link = monitors[address]?.link, link.established?.isSilent == false else { return }
    // bluetoothd may report a subscription that no longer works. Only the monitor's confirmation or a value
    // proves that it does.
    guard isConfirmed || link.hasMeasured else { return set(.subscribing, address) }
    set(.following, address)
    resetEnergy(address)
  }

  private mutating func lackMeasurement(_ address: BluetoothAddress, _ device: Device1) {
    if refreshCache(address, device) || relink(address, device) { return }
    if let wait = attributesPending(address) {
      // bluetoothd may report resolved services before all of their characteristics.
      set(.subscribing, address)
      return putOffSubscription(address, by: wait)
    }
    // The monitor is bonded, and bluetoothd's attribute cache may be wrong. Clearing the cache would remove
    // the bond, which only the user may decide.
    set(
      device.isPaired ? .staleCache : .unusable, address,
      detail: "the monitor has no Heart Rate Measurement characteristic with notifications")
    putOffSubscription(address, by: policy.recheck)
  }

  /// Returns how much longer to wait for characteristics that bluetoothd adds after it has reported resolved
  /// services; `nil` if the time is up.
  private func attributesPending(_ address: BluetoothAddress) -> Duration? {
    guard let resolved = monitors[address]?.link?.established?.resolved else { return nil }
    let end = resolved + policy.attributesAfterResolved
    return now < end ? end - now : nil
  }

  private mutating func putOffSubscription(_ address: BluetoothAddress, by delay: Duration) {
    monitors.updateLink(address) { $0.subscription = .wanted(notBefore: now + delay) }
  }

  /// Removes the monitor, and with it the cached attributes, from bluetoothd. A bonded monitor is not
  /// removed, because that would delete its bond; nor is one with acquired notifications (AcquireNotify).
  ///
  /// - Returns: Whether RemoveDevice was called.
  mutating func refreshCache(_ address: BluetoothAddress, _ device: Device1) -> Bool {
    let removal = BlueZCall.removeDevice(adapter: device.adapter, device: device.path)
    guard !device.isPaired, tree.acquisition(affectedBy: removal) == nil,
      monitors.update(address, { $0.mayRefresh(chance: random, now: now) }) == true
    else { return false }
    set(.staleCache, address)
    monitors.updateLink(address) { $0.closing = MonitorLink.Closing(cause: .closedByHost, since: now) }
    call(removal, for: .removeDevice(address))
    return true
  }

  /// Makes a new link to a bonded monitor. After a crash, bluetoothd may report resolved services although it
  /// knows only some of the characteristics. It reads the rest in the next link.
  ///
  /// - Returns: Whether the old link is being closed.
  private mutating func relink(_ address: BluetoothAddress, _ device: Device1) -> Bool {
    guard device.isPaired,
      monitors.update(address, { $0.mayRefresh(chance: random, now: now) }) == true
    else { return false }
    close(address, device.path, .closedByHost)
    return true
  }

  // MARK: - Answers

  mutating func removeDeviceAnswered(_ reply: BlueZReply, _ address: BluetoothAddress) {
    // If RemoveDevice failed, use the link again. If it succeeded, the object tree shows that the device is
    // gone.
    if case .failed = reply { monitors.updateLink(address) { $0.closing = nil } }
  }

  /// Allows a pending subscription to start at once, because its characteristic was added or is no longer
  /// acquired by another program. bluetoothd may report resolved services before all of their
  /// characteristics.
  mutating func findMeasurement(at path: ObjectPath) {
    for monitor in monitors.all {
      guard let device = monitor.link?.established?.device, path.hasPrefix(device),
        tree.measurement(of: device)?.path == path
      else { continue }
      monitors.updateLink(monitor.address) { $0.allowSubscription() }
    }
  }

  /// Ends a subscription if its monitor is no longer followed.
  mutating func releaseUnwanted(_ path: ObjectPath, of address: BluetoothAddress) {
    if monitors[address] == nil { callOnly(.stopNotify(characteristic: path)) }
  }

  mutating func startNotifyAnswered(_ reply: BlueZReply, _ address: BluetoothAddress, _ path: ObjectPath) {
    if reply.mayHaveSubscribed { releaseUnwanted(path, of: address) }
    guard let link = monitors[address]?.link?.established, link.subscription == .requested,
      let device = tree.device(at: link.device)
    else { return }
    guard case .failed(let error) = reply else { return activate(address, path, isConfirmed: true) }
    monitors.updateLink(address) { $0.subscription = .wanted(notBefore: nil) }
    switch error.meaning {
    case .inProgress, .alreadyDone:
      // bluetoothd already has a subscription of this program, or a request for one. The values show whether
      // it works.
      activate(address, path, isConfirmed: false)
    case .pairingNeeded:
      set(device.isPaired ? .bondLost : .pairingNeeded, address, detail: error.description)
      putOffSubscription(address, by: policy.recheck)
    case .noAnswer where device.isPaired:
      set(.frozen, address, detail: error.description)
      close(address, link.device, .silence)
    case .noAnswer where monitors[address]?.wasBonded == true:
      // The bond belongs to another adapter. bluetoothd tries to pair for the subscription, and does not
      // reply until the user accepts.
      set(.pairingNeeded, address, detail: "this adapter has no bond with it")
      heldSubscriptions.insert(path)
      monitors.updateLink(address) { $0.subscription = .active(path, since: now + policy.pairing) }
    case .noAnswer:
      // bluetoothd may be pairing for this subscription, and does not reply until then. The user may be
      // typing the passkey, so keep the link and the subscription. After `policy.pairing`, silence is handled
      // as usual.
      set(.frozen, address, detail: "\(error.description); if it requires a bond: hrgate pair \(address)")
      heldSubscriptions.insert(path)
      monitors.updateLink(address) { $0.subscription = .active(path, since: now + policy.pairing) }
    case .takenByAnother: leaveToAnother(address, path, error)
    case .attributeError(0x0E) where !link.wasCutShort:
      // ATT error 0x0E, Unlikely Error. bluetoothd returns it when the link ends, but so may a peripheral.
      // Try once more.
      monitors.updateLink(address) { $0.wasCutShort = true }
      putOffSubscription(address, by: policy.firstRetry)
    case .attributeError, .notSupported, .notPermitted:
      lackMeasurement(address, device)
    default:
      // The device or the link is being removed. The object tree will show it.
      monitors.update(address) { $0.detail = error.description }
      putOffSubscription(address, by: policy.firstRetry)
    }
  }

  /// Handles the reply to a repeated StartNotify for a subscription that bluetoothd already had.
  mutating func renewAnswered(_ reply: BlueZReply, _ address: BluetoothAddress, _ path: ObjectPath) {
    guard let link = monitors[address]?.link, case .active(path, _)? = link.established?.subscription else {
      if reply.mayHaveSubscribed { releaseUnwanted(path, of: address) }
      return
    }
    guard case .failed(let error) = reply else { return }
    switch error.meaning {
    case .inProgress, .alreadyDone: return
    // Values arrive, so the subscription works regardless of the reply.
    case _ where link.hasMeasured: return
    default:
      heldSubscriptions.remove(path)
      monitors.updateLink(address) { $0.subscription = .requested }
      startNotifyAnswered(reply, address, path)
    }
  }

  /// Waits until the program that acquired the notifications releases them.
  private mutating func leaveToAnother(
    _ address: BluetoothAddress, _ path: ObjectPath, _ error: BlueZError
  ) {
    heldSubscriptions.remove(path)
    set(.takenByAnother, address, detail: error.description)
    putOffSubscription(address, by: policy.recheck)
  }

  mutating func stopNotifyAnswered(_ reply: BlueZReply, _ address: BluetoothAddress, _ path: ObjectPath) {
    guard let link = monitors[address]?.link?.established, link.subscription == .requested else { return }
    guard case .failed(let error) = reply else { return resubscribe(address, path) }
    switch error.meaning {
    case .noAnswer:
      set(.frozen, address, detail: error.description)
      close(address, link.device, .silence)
    case .takenByAnother: leaveToAnother(address, path, error)
    default: resubscribe(address, path)
    }
  }

  /// Calls StartNotify after a StopNotify.
  mutating func resubscribe(_ address: BluetoothAddress, _ path: ObjectPath) {
    if monitors[address]?.link?.established?.isSilent == false {
      // Values arrived before bluetoothd executed StopNotify. Some may be missing until StartNotify takes
      // effect, so report a gap.
      handOnHeld(of: address)
      emit(.gapBegan(.address(address), .silence, time))
    }
    heldSubscriptions.remove(path)
    call(.startNotify(characteristic: path), for: .subscribe(address, path))
  }
}

extension BlueZReply {
  /// Whether bluetoothd has subscribed, or may still do so.
  fileprivate var mayHaveSubscribed: Bool {
    guard case .failed(let error) = self else { return true }
    return error.meaning == .noAnswer
  }
}
