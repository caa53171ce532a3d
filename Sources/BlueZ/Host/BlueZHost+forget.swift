public import Bluetooth

extension BlueZHost {
  /// Removes a monitor from bluetoothd, with its bond. bluetoothd keeps it for all users of the machine, so
  /// one that another program has subscribed to stays: bluetoothd tells of a subscription, whosever it is,
  /// and over the end of a link too. Where it tells of one that is none, the monitor goes.
  ///
  /// - Parameters:
  ///   - isForAll: Whoever follows it, loses it.
  ///   - patience: So long a gateway of the caller's own may take to let go of it.
  /// - Throws: ``NotifyAcquiredError``, also if `isForAll`; ``BlueZError``, ``BlueZUnavailable``,
  ///   `CancellationError`.
  @discardableResult
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool = false, patience: Duration = .zero
  ) async throws -> ForgetOutcome {
    var outcome = ForgetOutcome.notKnown
    for device in await mirror.tree.devices(with: address) {
      if !isForAll, try await isFollowed(device, patience) {
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

  /// bluetoothd tells late that nobody has subscribed any more, after its answer.
  private static let correction = Duration.seconds(1)

  /// Whether somebody has subscribed, and does not leave in time.
  ///
  /// Where a new link refuses what a subscription was, bluetoothd 5.66 drops it, and goes on to tell that
  /// values are turned on. A subscription of our own shows whether anybody has one: it comes about at once
  /// beside another, and with its end bluetoothd tells what is; and where the monitor refuses it, there is
  /// none.
  private func isFollowed(_ device: Device1, _ patience: Duration) async throws -> Bool {
    guard let path = await mirror.tree.followedMeasurement(of: device.path) else { return false }
    do {
      try await perform(.startNotify(characteristic: path))
      try await perform(.stopNotify(characteristic: path))
    } catch let error as BlueZError {
      if error.meaning.isOfTheMonitor { return false }
      // It could not be asked, so what bluetoothd tells has to do.
    }
    return try await !mirror.holds(within: max(patience, Self.correction)) { !$0.isFollowed(device.path) }
  }
}

extension BlueZError.Meaning {
  /// The monitor refused what it was asked. Unlikely Error (0x0E) is what bluetoothd answers where a link
  /// ends.
  fileprivate var isOfTheMonitor: Bool {
    switch self {
    case .notPermitted, .notSupported: true
    case .attributeError(let code): code != 0x0E
    default: false
    }
  }
}
