import Bluetooth
import DBus

/// The subscription to the measurements, and what is done where there can be none.
extension FollowingMachine {
  mutating func subscribe(_ address: BluetoothAddress, _ device: Device1) {
    guard let measurement = tree.characteristic(.heartRateMeasurement, in: .heartRate, of: device.path),
      measurement.canNotify
    else { return lackMeasurement(address, device) }
    measurementPaths[measurement.path] = address
    if measurement.isNotifying, heldSubscriptions.contains(measurement.path) {
      // bluetoothd keeps a subscription across links and enables notifications again by itself. If the next
      // link drops while it does so, it forgets the subscription but leaves `Notifying` true, and every later
      // link is silent. StartNotify repairs that; if nothing was forgotten, it changes nothing.
      activate(address, measurement.path, isConfirmed: false)
      call(.startNotify(characteristic: measurement.path), for: .renew(address, measurement.path))
      return
    }
    monitors.update(address) { $0.requestSubscription() }
    set(.subscribing, address)
    call(.startNotify(characteristic: measurement.path), for: .subscribe(address, measurement.path))
  }

  /// - Parameter isConfirmed: The monitor has answered that its values are turned on.
  private mutating func activate(_ address: BluetoothAddress, _ path: ObjectPath, isConfirmed: Bool) {
    heldSubscriptions.insert(path)
    monitors.updateLink(address) { $0.subscription = .active(path, since: now) }
    guard let link = monitors[address]?.link, link.standing?.isSilent == false else { return }
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
    // With a bond it may be either, and forgetting is the user's to decide.
    set(
      device.isPaired ? .staleCache : .unusable, address, detail: "no Heart Rate Measurement that can notify")
    putOffSubscription(address, by: policy.recheck)
  }

  /// How long characteristics may still be added after the services were resolved; `nil` if that time is over.
  private func attributesPending(_ address: BluetoothAddress) -> Duration? {
    guard let resolved = monitors[address]?.link?.standing?.resolved else { return nil }
    let end = resolved + policy.attributesAfterResolved
    return now < end ? end - now : nil
  }

  private mutating func putOffSubscription(_ address: BluetoothAddress, by delay: Duration) {
    monitors.updateLink(address) { $0.subscription = .wanted(notBefore: now + delay) }
  }

  /// Removes the monitor from bluetoothd, and with it the cached attributes. That would also delete a bond, so
  /// a bonded monitor is not removed. Neither is one whose notifications are acquired.
  ///
  /// - Returns: Whether the removal has started.
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

  /// Makes a new link to a bonded monitor. After bluetoothd was killed, it may hold a link for resolved of
  /// whose attributes it knows a part; of a new one it reads what it lacks.
  ///
  /// - Returns: Whether it is under way.
  private mutating func relink(_ address: BluetoothAddress, _ device: Device1) -> Bool {
    guard device.isPaired,
      monitors.update(address, { $0.mayRefresh(chance: random, now: now) }) == true
    else { return false }
    close(address, device.path, .closedByHost)
    return true
  }

  // MARK: - Answers

  mutating func removeDeviceAnswered(_ answer: BlueZAnswer, _ address: BluetoothAddress) {
    // It went, or it could not: either way the link is judged by the tree again.
    if case .failed = answer { monitors.updateLink(address) { $0.closing = nil } }
  }

  /// Allows a pending subscription to start at once, after its characteristic was added or released. bluetoothd
  /// may report resolved services before all of their characteristics.
  mutating func findMeasurement(at path: ObjectPath) {
    for monitor in monitors.all {
      guard let device = monitor.link?.standing?.device, path.hasPrefix(device),
        tree.characteristic(.heartRateMeasurement, in: .heartRate, of: device)?.path == path
      else { continue }
      monitors.updateLink(monitor.address) { $0.allowSubscription() }
    }
  }

  /// What bluetoothd may hold for a monitor that is not followed any more.
  mutating func giveBackUnwanted(_ path: ObjectPath, of address: BluetoothAddress) {
    if monitors[address] == nil { callOnly(.stopNotify(characteristic: path)) }
  }

  mutating func startNotifyAnswered(_ answer: BlueZAnswer, _ address: BluetoothAddress, _ path: ObjectPath) {
    if answer.mayHaveSubscribed { giveBackUnwanted(path, of: address) }
    guard let link = monitors[address]?.link?.standing, link.subscription == .requested,
      let device = tree.device(at: link.device)
    else { return }
    guard case .failed(let error) = answer else { return activate(address, path, isConfirmed: true) }
    monitors.updateLink(address) { $0.subscription = .wanted(notBefore: nil) }
    switch error.meaning {
    case .inProgress, .alreadyDone:
      // Ours from before, or on its way: the values will tell, and their absence too.
      activate(address, path, isConfirmed: false)
    case .pairingNeeded:
      set(device.isPaired ? .bondLost : .pairingNeeded, address, detail: error.description)
      putOffSubscription(address, by: policy.recheck)
    case .noAnswer where device.isPaired:
      set(.frozen, address, detail: error.description)
      close(address, link.device, .silence)
    case .noAnswer where monitors[address]?.wasBonded == true:
      // The bond is with another adapter. bluetoothd tries to pair for the subscription, and does not answer
      // while nobody accepts.
      set(.pairingNeeded, address, detail: "this adapter has no bond with it")
      heldSubscriptions.insert(path)
      monitors.updateLink(address) { $0.subscription = .active(path, since: now + policy.pairing) }
    case .noAnswer:
      // Nor is there an answer while bluetoothd pairs for this subscription. Somebody may be typing the
      // passkey, so the link is left, and the subscription with it, which bluetoothd keeps. From then on it
      // is as if nothing had been measured.
      set(.frozen, address, detail: "\(error.description); if it wants a bond: hrgate pair \(address)")
      heldSubscriptions.insert(path)
      monitors.updateLink(address) { $0.subscription = .active(path, since: now + policy.pairing) }
    case .takenByAnother: leaveToAnother(address, path, error)
    case .attributeError(0x0E) where !link.wasCutShort:
      // Unlikely Error: what bluetoothd answers for a link that ends, and a peripheral may answer.
      monitors.updateLink(address) { $0.wasCutShort = true }
      putOffSubscription(address, by: policy.firstRetry)
    case .attributeError, .notSupported, .notPermitted:
      lackMeasurement(address, device)
    default:
      // The object or the link is going; the tree will say so.
      monitors.update(address) { $0.detail = error.description }
      putOffSubscription(address, by: policy.firstRetry)
    }
  }

  /// Handles the answer to a StartNotify for a subscription that bluetoothd already held.
  mutating func renewAnswered(_ answer: BlueZAnswer, _ address: BluetoothAddress, _ path: ObjectPath) {
    guard let link = monitors[address]?.link, case .active(path, _)? = link.standing?.subscription else {
      if answer.mayHaveSubscribed { giveBackUnwanted(path, of: address) }
      return
    }
    guard case .failed(let error) = answer else { return }
    switch error.meaning {
    case .inProgress, .alreadyDone: return
    // Values arrive, so there is a subscription, whatever became of this call.
    case _ where link.hasMeasured: return
    default:
      heldSubscriptions.remove(path)
      monitors.updateLink(address) { $0.subscription = .requested }
      startNotifyAnswered(answer, address, path)
    }
  }

  /// Waits until another program releases the notifications.
  private mutating func leaveToAnother(
    _ address: BluetoothAddress, _ path: ObjectPath, _ error: BlueZError
  ) {
    heldSubscriptions.remove(path)
    set(.takenByAnother, address, detail: error.description)
    putOffSubscription(address, by: policy.recheck)
  }

  mutating func stopNotifyAnswered(_ answer: BlueZAnswer, _ address: BluetoothAddress, _ path: ObjectPath) {
    guard let link = monitors[address]?.link?.standing, link.subscription == .requested else { return }
    guard case .failed(let error) = answer else { return subscribeAnew(address, path) }
    switch error.meaning {
    case .noAnswer:
      set(.frozen, address, detail: error.description)
      close(address, link.device, .silence)
    case .takenByAnother: leaveToAnother(address, path, error)
    default: subscribeAnew(address, path)
    }
  }

  /// The subscription was given up, and is asked for anew.
  mutating func subscribeAnew(_ address: BluetoothAddress, _ path: ObjectPath) {
    if monitors[address]?.link?.standing?.isSilent == false {
      // Values came after all, and bluetoothd gave the subscription up late: between then and now some may be
      // missing.
      handOnHeld(of: address)
      emit(.gapBegan(.address(address), .silence, time))
    }
    heldSubscriptions.remove(path)
    call(.startNotify(characteristic: path), for: .subscribe(address, path))
  }
}

extension BlueZAnswer {
  /// bluetoothd subscribed, or does so when it can.
  fileprivate var mayHaveSubscribed: Bool {
    guard case .failed(let error) = self else { return true }
    return error.meaning == .noAnswer
  }
}
