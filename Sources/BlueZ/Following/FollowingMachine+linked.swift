import Bluetooth
import BluetoothCentral
import DBus

/// Monitors with a link: from its beginning, whoever made it, to the subscription.
extension FollowingMachine {
  mutating func reconcile(_ address: BluetoothAddress, linkedBy device: Device1) {
    if let current = links[address]?.device, current != device.path { loseLink(address) }
    if links[address]?.device == nil { beginLink(address, device) }
    if let since = links[address]?.closing?.since {
      guard now >= since + policy.closing else { return }
      // It still stands, so it is judged anew.
      links[address]?.closing = nil
    }
    guard device.areServicesResolved else { return watchResolving(address, device) }
    links[address]?.resolvingSince = nil
    switch links[address]?.subscription {
    case .some(.none): subscribe(address, device)
    case .active: watchSilence(address, device)
    default: break
    }
    describe(address, device)
    tellBattery(address, device)
  }

  private mutating func beginLink(_ address: BluetoothAddress, _ device: Device1) {
    links[address]?.device = device.path
    let wasFound = links[address]?.attempt == nil && isNew(device.adapter)
    links[address]?.wasFound = wasFound
    links[address]?.attempt = nil
    links[address]?.resolvingSince = now
    links[address]?.linkedSince = now
    links[address]?.lastFailedAdapter = nil
    links[address]?.preferredAdapter = tree.adapter(at: device.adapter)?.address
    tellConnected(address)
    if let name = device.name { emit(.named(.address(address), name)) }
    if links[address]?.state != .bondLost { set(.resolving, address) }
  }

  /// A value may come before the link is said to stand.
  mutating func tellConnected(_ address: BluetoothAddress) {
    guard links[address]?.isToldConnected == false else { return }
    links[address]?.isToldConnected = true
    emit(.connected(.address(address), time))
  }

  private mutating func watchResolving(_ address: BluetoothAddress, _ device: Device1) {
    let link = links[address]
    // They may have been resolved before, and be read anew.
    let since = link?.resolvingSince ?? now
    links[address]?.resolvingSince = since
    guard let link, now >= max(since, link.lastValue ?? since) + patience(resolving: link) else {
      return
    }
    if !link.wasFound { set(.frozen, address, detail: "the services were not resolved") }
    close(address, device.path, link.wasFound ? .closedByHost : .silence)
  }

  private func isNew(_ adapter: ObjectPath) -> Bool {
    duties[adapter].map { now - $0.since < policy.settling } ?? true
  }

  func patience(resolving link: MonitorLink) -> Duration {
    link.wasFound ? policy.resolvingFound : policy.resolving
  }

  private mutating func subscribe(_ address: BluetoothAddress, _ device: Device1) {
    if let again = links[address]?.recheckAt, now < again { return }
    guard let measurement = tree.characteristic(.heartRateMeasurement, in: .heartRate, of: device.path),
      measurement.canNotify
    else { return lackMeasurement(address, device) }
    measurementPaths[measurement.path] = address
    if measurement.isNotifying, heldSubscriptions.contains(measurement.path) {
      // bluetoothd kept our subscription over the loss of the link, and has turned the values on again.
      return activate(address, measurement.path)
    }
    if measurement.isNotifying { links[address]?.duplicates.knowsOfOthers = true }
    links[address]?.subscription = .requested
    set(.subscribing, address)
    call(.startNotify(characteristic: measurement.path), for: .subscribe(address, measurement.path))
  }

  mutating func activate(_ address: BluetoothAddress, _ path: ObjectPath) {
    heldSubscriptions.insert(path)
    links[address]?.subscription = .active(path, since: now)
    if links[address]?.isSilent == false { set(.following, address) }
    resetEnergy(address)
  }

  private mutating func lackMeasurement(_ address: BluetoothAddress, _ device: Device1) {
    if refreshCache(address, device) { return }
    // With a bond it may be either, and forgetting is the user's to decide.
    set(
      device.isPaired ? .staleCache : .unusable, address, detail: "no Heart Rate Measurement that can notify")
    links[address]?.recheckAt = now + policy.recheck
  }

  /// Makes bluetoothd forget what attributes it remembers of the monitor, and with them the monitor. A bond would go as well, so a bonded
  /// monitor is left as it is, and the user told.
  ///
  /// - Returns: Whether it is under way.
  mutating func refreshCache(_ address: BluetoothAddress, _ device: Device1) -> Bool {
    guard !device.isPaired, let link = links[address] else { return false }
    if let next = link.nextRefresh, now < next { return false }
    let nextRefresh = now + nextDelay(of: \.refreshBackOff, of: address)
    links[address]?.nextRefresh = nextRefresh
    set(.staleCache, address)
    links[address]?.closing = (.closedByHost, now)
    call(.removeDevice(adapter: device.adapter, device: device.path), for: .removeDevice(address))
    return true
  }

  mutating func takeSubscription(_ answer: BlueZAnswer, _ address: BluetoothAddress, _ path: ObjectPath) {
    guard links[address]?.subscription == .requested, let devicePath = links[address]?.device,
      let device = tree.device(at: devicePath)
    else { return }
    guard case .failed(let error) = answer else { return activate(address, path) }
    links[address]?.subscription = .none
    switch error.meaning {
    case .inProgress, .alreadyDone:
      // Ours from before, or on its way: the values will tell, and their absence too.
      activate(address, path)
    case .pairingNeeded:
      set(device.isPaired ? .bondLost : .pairingNeeded, address, detail: error.description)
      links[address]?.recheckAt = now + policy.recheck
    case .noAnswer where device.isPaired:
      set(.frozen, address, detail: error.description)
      close(address, devicePath, .silence)
    case .noAnswer:
      // Nor is there an answer while bluetoothd pairs for this subscription. Somebody may be typing the passkey, so the link is left, and
      // the subscription with it, which bluetoothd keeps. From then on it is as if nothing had been measured.
      set(.frozen, address, detail: "\(error.description); if it wants a bond: hrgate pair \(address)")
      heldSubscriptions.insert(path)
      links[address]?.subscription = .active(path, since: now + policy.pairing)
    case .takenByAnother:
      set(.takenByAnother, address, detail: error.description)
      links[address]?.recheckAt = now + policy.recheck
    case .attributeError, .notSupported, .notPermitted:
      lackMeasurement(address, device)
    default:
      // The object or the link is going; the tree will say so.
      links[address]?.detail = error.description
      links[address]?.recheckAt = now + policy.firstRetry
    }
  }

  // MARK: - The end of a link

  /// Ends the link, for a new one.
  mutating func close(_ address: BluetoothAddress, _ device: ObjectPath, _ cause: GapCause) {
    links[address]?.closing = (cause, now)
    callOnly(.disconnect(device: device))
  }

  /// Why the adapter of the link ended it; `nil` where it is in order.
  private func adapterCause(of link: MonitorLink) -> GapCause? {
    if let obstacle { return obstacle.cause }
    guard let path = link.device?.parent else { return nil }
    guard let adapter = tree.adapter(at: path) else { return .adapterAbsent }
    return adapter.isPowered ? nil : .adapterOff
  }

  /// A link that ends before anything came of it. So does one to a monitor that has forgotten the bond, when it is to be encrypted.
  private func wasTooShort(_ link: MonitorLink) -> Bool {
    guard !link.hasMeasured, let since = link.linkedSince, now - since < policy.quickFailure else {
      return false
    }
    // Over a subscription that stands, the bond was not at fault.
    return link.subscription == .none || link.device.flatMap { tree.device(at: $0) }?.isPaired != true
  }

  /// The link is gone.
  ///
  /// - Parameter cause: Why, where that is known from elsewhere than the link.
  mutating func loseLink(_ address: BluetoothAddress, _ cause: GapCause? = nil) {
    handOnHeld(of: address)
    guard var link = links[address] else { return }
    link.duplicates = DuplicateFilter()
    let closing = link.closing
    let isTooShort = cause == nil && closing == nil && adapterCause(of: link) == nil && wasTooShort(link)
    // One that lasts for a moment each time is not better than none.
    let wasFollowing = link.hasMeasured && link.linkedSince.map { now - $0 >= policy.steadyAfter } ?? false
    let device = link.device
    if link.isToldConnected {
      emit(.gapBegan(link.peripheral, cause ?? closing?.cause ?? adapterCause(of: link) ?? .linkLoss, time))
      emit(.disconnected(link.peripheral, time))
    }
    link.forgetLink()
    if wasFollowing { link.resetBackOff() }
    links[address] = link
    if isTooShort, let device { noteShortLink(address, device) }
    if links[address]?.state == .bondLost {
      links[address]?.nextAttempt = now + policy.recheck
    } else if wasFollowing || closing != nil {
      // It was there a moment ago: the first attempt need not wait.
      links[address]?.nextAttempt = now
    } else if isTooShort {
      // The kernel is at it again already, or is kept from it.
      let restUntil = links[address]?.restUntil ?? now
      links[address]?.nextAttempt = max(now + policy.firstRetry, restUntil)
    } else {
      retryLater(address)
    }
    if let obstacle {
      set(obstacle.state, address)
    } else if links[address]?.state?.isAboutTheMonitor != true {
      set(.away, address)
    }
  }
}
