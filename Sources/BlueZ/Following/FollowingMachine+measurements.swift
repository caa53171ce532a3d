import Bluetooth
import DBus

/// Measurements, and what to do if they stop arriving.
extension FollowingMachine {
  /// - Returns: Whether the desired state has to be compared with the object tree.
  mutating func receive(_ attribute: AttributeValue, at path: ObjectPath) -> Bool {
    let wasInDoubt = isDaemonInDoubt
    recordDaemonResponse()
    if let address = measurementPaths[path] { receive(attribute, from: address) }
    return wasInDoubt
  }

  mutating func receive(_ attribute: AttributeValue, from address: BluetoothAddress) {
    let value = DuplicateFilter.Value(
      attribute: attribute, receipt: Receipt(boot: now, time: time, senderPosition: senderPosition))
    if monitors.update(address, { $0.pass(value) }) == true {
      return emit(
        .notified(
          ValueNotification(
            peripheral: .address(address), characteristic: .heartRateMeasurement, value: attribute,
            receiptTime: time)))
    }
    guard let received = monitors.update(address, { $0.receive(value) }) else { return }
    if received.isFirst, monitors[address]?.link?.established != nil {
      set(.following, address)
      resetEnergy(address)
    }
    if received.isFirstSign { emit(.connected(.address(address), time)) }
    emit(received, of: address)
    if received.isHolding || received.isFirst { mayBeDueEarlier = true }
    separate(address)
  }

  /// Pings bluetoothd after the last value, if its reply helps to detect copies (``DuplicateFilter``). Only
  /// one ping is sent at a time, because more would slow down a busy bluetoothd.
  mutating func separate(_ address: BluetoothAddress) {
    guard monitors[address]?.link?.wantsSeparator == true,
      !purposes.values.contains(.separate(address))
    else { return }
    monitors.update(address) { $0.recordSeparator() }
    call(.ping, for: .separate(address))
  }

  private mutating func emit(_ received: MonitorLink.Received, of address: BluetoothAddress) {
    if received.dropped > 0 { emit(.repeated(.address(address), count: received.dropped)) }
    for made in received.values {
      if made.isAfterLoss {
        emit(.gapBegan(.address(address), .overflow, made.time))
      }
      var marks: FrameMarks = made.passed.mayBeCopy ? .mayBeCopy : []
      if made.isConcluded { marks.insert(.delayed) }
      emit(
        .notified(
          ValueNotification(
            peripheral: .address(address), characteristic: .heartRateMeasurement,
            value: made.passed.value.attribute, receiptTime: made.time, marks: marks)))
    }
  }

  /// Emits the held measurements, which may be copies or late, whose deadline has passed.
  mutating func flushHeld() {
    for address in monitors.addresses {
      if let due = monitors.update(address, { $0.flush(at: now) }) { emit(due, of: address) }
    }
  }

  /// Emits all held measurements of a monitor, which may be copies or late.
  mutating func handOnHeld(of address: BluetoothAddress) {
    if let held = monitors.update(address, { $0.flushAll() }) { emit(held, of: address) }
  }

  // MARK: - Silence

  /// Handles a connected monitor that does not send measurements. The longer this lasts, the stronger the
  /// measure: subscribe again, make a new link, remove bluetoothd's cached attributes.
  mutating func watchSilence(_ address: BluetoothAddress, _ device: Device1) {
    guard let monitor = monitors[address], let link = monitor.link, let quietSince = link.quietSince,
      case .active(let path, _)? = link.established?.subscription
    else { return }
    let quiet = now - quietSince
    guard quiet >= policy.silence, daemonAnswers() else { return }
    if quiet >= monitor.timeout(by: policy) {
      let rounds = monitors.update(address) { $0.countSilentRound() } ?? 0
      if rounds >= policy.roundsBeforeRefresh, refreshCache(address, device) { return }
      return close(address, device.path, .silence)
    }
    guard link.established?.isSilent == false else { return }
    emit(.gapBegan(monitor.peripheral, .silence, time))
    set(.silent, address)
    monitors.updateLink(address) {
      $0.isSilent = true
      $0.subscription = .requested
    }
    call(.stopNotify(characteristic: path), for: .resubscribe(address, path))
  }
}
