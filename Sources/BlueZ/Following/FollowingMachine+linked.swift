import Bluetooth
import DBus

/// Monitors that are connected, from the start of the link to its end. Another client may have made the link.
extension FollowingMachine {
  mutating func reconcile(_ address: BluetoothAddress, linkedBy device: Device1) {
    if let current = monitors[address]?.link?.established?.device, current != device.path {
      loseLink(address)
    }
    if monitors[address]?.link?.established == nil { beginLink(address, device) }
    if let closing = monitors[address]?.link?.established?.closing {
      guard now >= closing.since + policy.closing else { return }
      // The Disconnect timed out and the link still exists, so use it again.
      monitors.updateLink(address) { $0.closing = nil }
    }
    guard device.areServicesResolved else { return watchResolving(address, device) }
    if monitors[address]?.link?.established?.resolvingSince != nil {
      monitors.updateLink(address) { $0.endResolving(at: now) }
      if device.isPaired { proveBond(with: address, device.path) }
    }
    switch monitors[address]?.link?.established?.subscription {
    case .wanted(let notBefore): if now >= notBefore ?? now { subscribe(address, device) }
    case .active: watchSilence(address, device)
    case .requested, nil: break
    }
    describe(address, device)
    reportName(address, device)
    reportBattery(address, device)
  }

  private mutating func beginLink(_ address: BluetoothAddress, _ device: Device1) {
    let adapter = tree.adapter(at: device.adapter)?.address
    let isAdapterNew = duties[device.adapter].map { now - $0.since < policy.settling } ?? true
    let isFirstSign = monitors.update(address) {
      $0.beginLink(by: device.path, adapter: adapter, isAdapterNew: isAdapterNew, now: now)
    }
    if isFirstSign == true { emit(.connected(.address(address), time)) }
    if let name = device.name {
      _ = monitors.update(address) { $0.setName(name) }
      emit(.named(.address(address), name))
    }
    if monitors[address]?.state != .bondLost { set(.resolving, address) }
  }

  private mutating func watchResolving(_ address: BluetoothAddress, _ device: Device1) {
    // If the monitor's attributes change, bluetoothd discovers its services again. So start the timeout
    // again.
    monitors.updateLink(address) { $0.resolvingSince = $0.resolvingSince ?? now }
    guard let link = monitors[address]?.link, let established = link.established,
      let deadline = link.resolvingDeadline(by: policy), now >= deadline, daemonAnswers()
    else { return }
    if established.wasFound { return close(address, device.path, .closedByHost) }
    set(.frozen, address, detail: "the services were not resolved")
    close(address, device.path, .silence)
  }

  // MARK: - The end of a link

  /// Closes the link, so that a new one is made.
  mutating func close(_ address: BluetoothAddress, _ device: ObjectPath, _ cause: GapCause) {
    monitors.updateLink(address) { $0.closing = MonitorLink.Closing(cause: cause, since: now) }
    callOnly(.disconnect(device: device))
  }

  /// Handles the end of a link: emits the gap, and schedules the next attempt.
  ///
  /// - Parameter cause: The cause, if the caller knows it.
  mutating func loseLink(_ address: BluetoothAddress, _ cause: GapCause? = nil) {
    // Held measurements, which may be copies or late, arrived before the end of the link, so emit them before
    // the gap begins.
    handOnHeld(of: address)
    guard let link = monitors[address]?.link else { return }
    let established = link.established
    let knownCause = cause ?? established?.closing?.cause ?? adapterCause(of: established)
    let isTooShort = knownCause == nil && wasTooShort(link)
    let wasSteady = link.wasSteady(by: policy, now: now)
    emit(.gapBegan(.address(address), knownCause ?? .linkLoss, time))
    emit(.disconnected(.address(address), time))
    monitors.update(address) {
      $0.endLink(isByItself: knownCause == nil, now: now)
      if wasSteady { $0.resetBackOff() }
    }
    if isTooShort, let established { recordShortLink(address, established) }
    if monitors[address]?.state == .bondLost {
      monitors.update(address) { $0.nextAttempt = now + policy.recheck }
    } else if wasSteady || established?.closing != nil {
      // The link worked, so the monitor is probably near. Reconnect at once.
      monitors.update(address) { $0.nextAttempt = now }
    } else if isTooShort {
      // Wait before calling Connect, because the kernel may already be connecting. During a pause after short
      // links, nothing may connect.
      monitors.update(address) { $0.nextAttempt = max(now + policy.firstRetry, $0.restUntil ?? now) }
    } else {
      retryLater(address)
    }
    if let blocker { return set(blocker.state, address) }
    if knownCause == nil, let age = monitors[address]?.timing.age { return refuseTiming(address, age) }
    setUnlessAtFault(.away, address)
  }

  /// Reports that the host rejects the monitor's connection parameters. The state ends when a link lasts
  /// longer or the monitor is away.
  private mutating func refuseTiming(_ address: BluetoothAddress, _ age: Duration) {
    set(
      .timingRefused, address,
      detail: "\(RefusedTiming.inARow) consecutive links ended after \(age.components.seconds) s")
    monitors.update(address) { $0.doubtFailure() }
  }

  /// Returns the adapter problem that ended the link; `nil` if the adapter works.
  private func adapterCause(of link: MonitorLink.EstablishedLink?) -> GapCause? {
    if let blocker { return blocker.cause }
    guard let path = link?.device.parent else { return nil }
    guard let adapter = tree.adapter(at: path) else { return .adapterAbsent }
    return adapter.isPowered ? nil : .adapterOff
  }

  /// Whether a link ended so early that no measurement arrived. A link to a monitor that has lost its bond
  /// also ends this early, during encryption, but an early end alone does not prove a lost bond.
  private func wasTooShort(_ link: MonitorLink) -> Bool {
    guard !link.hasMeasured, let established = link.established, now - established.since < policy.quickFailure
    else {
      return false
    }
    // In the state `wanted`, StartNotify has already been answered. So the link was encrypted, and the bond
    // works.
    if case .wanted = established.subscription { return true }
    return tree.device(at: established.device)?.isPaired != true
  }
}
