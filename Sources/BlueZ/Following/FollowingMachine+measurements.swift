import Bluetooth
import BluetoothCentral
import DBus

/// The measurements, and their absence.
extension FollowingMachine {
  mutating func receive(_ bytes: [UInt8], from address: BluetoothAddress) {
    let value = DuplicateFilter.Value(bytes: bytes, receipt: Receipt(boot: now, time: time))
    guard let received = monitors.update(address, { $0.receive(value) }) else { return }
    if received.isFirst, monitors[address]?.link?.standing != nil {
      set(.following, address)
      resetEnergy(address)
    }
    if received.isFirstSign { emit(.connected(.address(address), time)) }
    emit(received, of: address)
    if received.isHolding || received.isFirst { mayBeDueEarlier = true }
  }

  private mutating func emit(_ received: MonitorLink.Received, of address: BluetoothAddress) {
    if received.dropped > 0 { emit(.repeated(.address(address), count: received.dropped)) }
    for value in received.values {
      emit(
        .notified(
          ValueNotification(
            peripheral: .address(address), characteristic: .heartRateMeasurement,
            value: AttributeValue(value.bytes), receiptTime: value.receipt.time)))
    }
  }

  /// Values that a filter held back are due.
  mutating func flushDuplicates() {
    for address in monitors.addresses {
      if let due = monitors.update(address, { $0.flush(at: now) }) { emit(due, of: address) }
    }
  }

  /// Whatever is held of a monitor goes on now.
  mutating func handOnHeld(of address: BluetoothAddress) {
    if let held = monitors.update(address, { $0.flushAll() }) { emit(held, of: address) }
  }

  // MARK: - The watchdog

  /// Connected but silent: first a new subscription, then a new link, then what is remembered of the
  /// attributes.
  mutating func watchSilence(_ address: BluetoothAddress, _ device: Device1) {
    guard let monitor = monitors[address], let link = monitor.link, let quietSince = link.quietSince,
      case .active(let path, _)? = link.standing?.subscription
    else { return }
    let quiet = now - quietSince
    if quiet >= monitor.patience(by: policy) {
      let rounds = monitors.update(address) { $0.countSilentRound() } ?? 0
      if rounds >= policy.roundsBeforeRefresh, refreshCache(address, device) { return }
      return close(address, device.path, .silence)
    }
    guard quiet >= policy.silence, link.standing?.isSilent == false else { return }
    emit(.gapBegan(monitor.peripheral, .silence, time))
    set(.silent, address)
    monitors.updateLink(address) {
      $0.isSilent = true
      $0.subscription = .requested
    }
    call(.stopNotify(characteristic: path), for: .resubscribe(address, path))
  }
}
