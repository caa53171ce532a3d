public import Bluetooth

extension BlueZHost {
  /// Removes a monitor and its bond from bluetoothd. Devices and bonds belong to all users of the machine. So
  /// a monitor that another program has subscribed to is kept. bluetoothd reports subscriptions of all
  /// clients, also after a link has ended. If it reports one that no longer exists, the monitor is removed.
  ///
  /// - Parameters:
  ///   - isForAll: Removes the monitor even if other programs follow it. They lose it.
  ///   - timeout: Timeout for a gateway of the same user to release the monitor.
  /// - Throws: ``NotifyAcquiredError``, also if `isForAll`; ``BlueZError``, ``BlueZUnavailableError``,
  ///   `CancellationError`.
  @discardableResult
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool = false, timeout: Duration = .zero
  ) async throws -> ForgetOutcome {
    var outcome = ForgetOutcome.notKnown
    for device in await mirror.tree.devices(with: address) {
      if !isForAll, try await isFollowed(device, timeout) {
        outcome = .leftToOthers
        continue
      }
      do {
        try await perform(.removeDevice(adapter: device.adapter, device: device.path))
      } catch let error as BlueZError where error.meaning == .objectGone {
        // Another program has just removed it.
        continue
      }
      if outcome == .notKnown { outcome = .forgotten }
    }
    return outcome
  }

  /// Timeout for bluetoothd to report the end of the last subscription, which it does after its reply.
  private static let correction = Duration.seconds(1)

  /// Returns whether another program is subscribed and remains so for `timeout`.
  ///
  /// If a new link rejects an earlier subscription, bluetoothd 5.66 drops it but still reports `Notifying`. A
  /// subscription of our own shows the true state. If another client is subscribed, it succeeds at once, and
  /// when it ends bluetoothd reports the remaining state. If the monitor rejects it, there is no
  /// subscription.
  private func isFollowed(_ device: Device1, _ timeout: Duration) async throws -> Bool {
    guard let path = await mirror.tree.followedMeasurement(of: device.path) else { return false }
    do {
      try await perform(.startNotify(characteristic: path))
      try await perform(.stopNotify(characteristic: path))
    } catch let error as BlueZError {
      if error.meaning.isOfTheMonitor { return false }
      // The test failed, so use what bluetoothd reports.
    }
    return try await !mirror.holds(within: max(timeout, Self.correction)) { !$0.isFollowed(device.path) }
  }
}

extension BlueZError.Meaning {
  /// Whether the monitor itself rejected the request. Unlikely Error (0x0E) is excluded, because bluetoothd
  /// returns it when a link ends.
  fileprivate var isOfTheMonitor: Bool {
    switch self {
    case .notPermitted, .notSupported: true
    case .attributeError(let code): code != 0x0E
    default: false
    }
  }
}
