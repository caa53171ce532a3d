public import Bluetooth

extension BlueZHost {
  /// Removes a monitor and its bond from bluetoothd. All users of the machine share devices and bonds, so a
  /// monitor is kept if another program is subscribed to it. If bluetoothd reports a subscription that no
  /// longer exists, the monitor is removed.
  ///
  /// - Parameters:
  ///   - isForAll: Whether to remove the monitor even if other programs are subscribed to it.
  ///   - timeout: How long to wait for a gateway of the same user to unsubscribe.
  /// - Throws: ``NotifyAcquiredError``, also if `isForAll`; ``BlueZError``, ``BlueZUnavailableError``,
  ///   `CancellationError`.
  @discardableResult
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool = false, timeout: Duration = .zero
  ) async throws -> ForgetOutcome {
    var outcome = ForgetOutcome.notKnown
    for device in await objectCache.tree.devices(with: address) {
      if !isForAll, try await isFollowed(device, timeout) {
        outcome = .leftToOthers
        continue
      }
      do {
        try await perform(.removeDevice(adapter: device.adapter, device: device.path))
      } catch let error as BlueZError where error.meaning == .objectGone {
        // Another program has just removed the device.
        continue
      }
      if outcome == .notKnown { outcome = .forgotten }
    }
    return outcome
  }

  /// How long to wait for bluetoothd to report the end of the last subscription. It does so only after its
  /// reply to StopNotify.
  private static let correction = Duration.seconds(1)

  /// Returns whether another program is subscribed and stays subscribed for `timeout`.
  ///
  /// bluetoothd 5.66 may report `Notifying` for a subscription that it dropped because the monitor rejected
  /// it in a new link. So this method subscribes, too. If that succeeds, bluetoothd reports the true state
  /// after unsubscribing. If the monitor rejects it, no program is subscribed.
  private func isFollowed(_ device: Device1, _ timeout: Duration) async throws -> Bool {
    guard let path = await objectCache.tree.followedMeasurement(of: device.path) else { return false }
    do {
      try await perform(.startNotify(characteristic: path))
      try await perform(.stopNotify(characteristic: path))
    } catch let error as BlueZError {
      if error.meaning.isOfTheMonitor { return false }
      // The test subscription failed for another reason, so use the state that bluetoothd reports.
    }
    return try await !objectCache.holds(within: max(timeout, Self.correction)) { !$0.isFollowed(device.path) }
  }
}

extension BlueZError.Meaning {
  /// Whether the monitor itself rejected the request. Unlikely Error (0x0E) does not count, because
  /// bluetoothd also returns it when a link ends.
  fileprivate var isOfTheMonitor: Bool {
    switch self {
    case .notPermitted, .notSupported: true
    case .attributeError(let code): code != 0x0E
    default: false
    }
  }
}
