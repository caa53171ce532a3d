public import Bluetooth

extension BlueZHost {
  /// What became of a monitor that bluetoothd was to forget.
  public enum Forgetting: Hashable, Sendable {
    case notKnown
    case forgotten
    /// Another program has subscribed to its measurements, so bluetoothd keeps it, with its bond.
    case leftToOthers
  }

  /// Removes a monitor from bluetoothd, with its bond. bluetoothd keeps it for all users of the machine, so
  /// one that another program has subscribed to stays: bluetoothd tells of a subscription, whosever it is,
  /// and over the end of a link too.
  ///
  /// - Parameters:
  ///   - isForAll: Whoever follows it, loses it.
  ///   - patience: So long a gateway of the caller's own may take to let go of it.
  /// - Throws: ``BlueZError``, ``BlueZUnavailable``, `CancellationError`.
  @discardableResult
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool = false, patience: Duration = .zero
  ) async throws -> Forgetting {
    var outcome = Forgetting.notKnown
    for device in await mirror.tree.devices(with: address) {
      if !isForAll, await mirror.tree.isFollowed(device.path),
        try await !mirror.holds(within: patience, { !$0.isFollowed(device.path) })
      {
        outcome = .leftToOthers
        continue
      }
      try await perform(.removeDevice(adapter: device.adapter, device: device.path))
      if outcome == .notKnown { outcome = .forgotten }
    }
    return outcome
  }
}
