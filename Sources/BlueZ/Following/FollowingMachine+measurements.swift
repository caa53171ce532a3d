import Bluetooth
import BluetoothCentral
import DBus

/// The measurements, and their absence.
extension FollowingMachine {
  mutating func receive(_ bytes: [UInt8], from address: BluetoothAddress) {
    let value = DuplicateFilter.Value(bytes: bytes, receipt: Receipt(boot: now, time: time))
    guard let outcome = links[address]?.take(value) else { return }
    if outcome.isFirst { prosper(address) }
    tellConnected(address)
    emitMeasurements(outcome.values, outcome.dropped, of: address)
    if outcome.isHolding || outcome.isFirst { mayBeDueEarlier = true }
  }

  /// Measurements come in, so whatever was held against the monitor is over.
  private mutating func prosper(_ address: BluetoothAddress) {
    links[address]?.quickFailures = 0
    links[address]?.silentRounds = 0
    links[address]?.nextRefresh = nil
    links[address]?.refreshBackOff.reset()
    links[address]?.recheckAt = nil
    if links[address]?.device != nil { set(.following, address) }
  }

  private mutating func emitMeasurements(
    _ values: [DuplicateFilter.Value], _ dropped: Int, of address: BluetoothAddress
  ) {
    if dropped > 0 { emit(.repeated(.address(address), count: dropped)) }
    for value in values {
      emit(
        .notified(
          ValueNotification(
            peripheral: .address(address), characteristic: .heartRateMeasurement,
            value: AttributeValue(value.bytes), receiptTime: value.receipt.time)))
    }
  }

  /// Values that a filter held back are due.
  mutating func flushDuplicates() {
    for address in followed {
      guard let values = links[address]?.duplicates.flush(at: now) else { continue }
      emitMeasurements(values, links[address]?.duplicates.takeDropped() ?? 0, of: address)
    }
  }

  /// Whatever is held of a monitor goes on now.
  mutating func handOnHeld(of address: BluetoothAddress) {
    guard let values = links[address]?.duplicates.end() else { return }
    emitMeasurements(values, links[address]?.duplicates.takeDropped() ?? 0, of: address)
  }

  // MARK: - The watchdog

  /// Connected but silent: first a new subscription, then a new link, then what is remembered of the attributes.
  mutating func watchSilence(_ address: BluetoothAddress, _ device: Device1) {
    guard let link = links[address], case .active(let path, let since) = link.subscription else { return }
    let quiet = now - max(link.lastValue ?? since, since)
    if quiet >= patience(with: link) {
      links[address]?.silentRounds += 1
      if link.silentRounds + 1 >= policy.roundsBeforeRefresh, refreshCache(address, device) { return }
      return close(address, device.path, .silence)
    }
    guard quiet >= policy.silence, !link.isSilent else { return }
    links[address]?.isSilent = true
    emit(.gapBegan(link.peripheral, .silence, time))
    set(.silent, address)
    links[address]?.subscription = .requested
    call(.stopNotify(characteristic: path), for: .resubscribe(address, path))
  }

  /// How long a link may be silent before it is made anew.
  private func patience(with link: MonitorLink) -> Duration {
    min(policy.longestSilence, policy.reconnectAfterSilence * (1 << min(link.silentRounds, 6)))
  }

  mutating func takeUnsubscription(_ answer: BlueZAnswer, _ address: BluetoothAddress, _ path: ObjectPath) {
    guard links[address]?.subscription == .requested, let device = links[address]?.device else { return }
    if case .failed(let error) = answer, error.meaning == .noAnswer {
      set(.frozen, address, detail: error.description)
      return close(address, device, .silence)
    }
    heldSubscriptions.remove(path)
    call(.startNotify(characteristic: path), for: .subscribe(address, path))
  }

  // MARK: - Deadlines

  func deadline(of link: MonitorLink) -> BootTime? {
    [deadlineOfLink(link), link.duplicates.deadline].compactMap(\.self).min()
  }

  private func deadlineOfLink(_ link: MonitorLink) -> BootTime? {
    if let device = link.device {
      if let closing = link.closing { return closing.since + policy.closing }
      if let since = link.resolvingSince, tree.device(at: device)?.areServicesResolved != true {
        return max(since, link.lastValue ?? since) + patience(resolving: link)
      }
      switch link.subscription {
      case .none: return link.recheckAt
      case .requested: return nil
      case .active(_, let since):
        return max(link.lastValue ?? since, since) + (link.isSilent ? patience(with: link) : policy.silence)
      }
    }
    if link.isToldConnected, let lastValue = link.lastValue { return lastValue + policy.settling }
    if let attempt = link.attempt {
      return attempt.since + (attempt.isForeign ? policy.foreignAttempt : policy.connectAttempt)
    }
    guard obstacle == nil, link.state != .searching else { return nil }
    // While its adapter is busy the end of that attempt comes first, with a deadline of its own.
    return link.nextAttempt > now ? link.nextAttempt : nil
  }
}
