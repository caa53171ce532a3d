public import Bluetooth

/// The Bluetooth of this machine, through bluetoothd.
///
/// Its errors are ``BlueZUnavailableError``, ``BlueZError`` and ``NotifyAcquiredError``.
public struct BlueZRadio: PairingRadio {
  private let adapter: BluetoothAddress?

  /// - Parameter adapter: The adapter to scan and pair with; `nil` for the first one that is powered.
  public init(adapter: BluetoothAddress? = nil) { self.adapter = adapter }

  /// Discovers peripherals for `time`.
  ///
  /// - Throws: ``BlueZUnavailableError``; ``BlueZError``; `CancellationError`.
  public func scan(
    for time: Duration, known: Set<BluetoothAddress>, showsAll: Bool,
    report: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws {
    try await BlueZHost.with(adapter: adapter) { host in
      try await host.scan(for: time, admitting: .init(known: known, showsAll: showsAll), report)
    }
  }

  /// Connects to a monitor, pairs with it and reads its description.
  ///
  /// - Throws: `PairingError`; ``BlueZUnavailableError``; ``BlueZError``; ``NotifyAcquiredError``;
  ///   `CancellationError`.
  public func pair(
    _ monitor: String, bonding: Bonding, dialogue: any PairingDialogue,
    progress: @escaping @Sendable (PairingStep) -> Void
  ) async throws -> MonitorFacts {
    try await BlueZHost.with(adapter: adapter) { host in
      try await host.enrol(monitor, bonding: bonding, dialogue: dialogue, progress)
    }
  }

  /// Removes the monitor from all adapters.
  /// - Throws: ``BlueZUnavailableError``; ``BlueZError``; ``NotifyAcquiredError`` if another program has
  ///   acquired its notifications; `CancellationError`.
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool, timeout: Duration
  ) async throws -> ForgetOutcome {
    try await BlueZHost.with { host in
      try await host.forget(address, isForAll: isForAll, timeout: timeout)
    }
  }
}
