/// Finds heart-rate monitors, pairs with them and removes them.
///
/// `BlueZRadio` uses this machine's Bluetooth, and `SimulatedRadio` has simulated straps. After pairing, a
/// ``Central`` receives the measurements.
public protocol PairingRadio: Sendable {
  /// Listens for monitors for a limited time.
  ///
  /// - Parameters:
  ///   - known: Addresses of monitors that are reported regardless of what they advertise.
  ///   - showsAll: Whether to report all devices, not only heart-rate monitors.
  ///   - report: Called a few times a second with all devices found so far, strongest signal first.
  /// - Throws: An error of the radio; `CancellationError`.
  func scan(
    for time: Duration, known: Set<BluetoothAddress>, showsAll: Bool,
    report: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws

  /// Finds a monitor, connects to it, checks that it measures heart rate, pairs with it and reads its
  /// description.
  ///
  /// - Parameter monitor: An address, or the advertised name.
  /// - Throws: ``PairingError``; an error of the radio; `CancellationError`.
  func pair(
    _ monitor: String, bonding: Bonding, dialogue: any PairingDialogue,
    progress: @escaping @Sendable (PairingStep) -> Void
  ) async throws -> MonitorFacts

  /// Removes a monitor and its bond from this host.
  ///
  /// - Parameters:
  ///   - isForAll: Whether to remove it even if another program is subscribed to it.
  ///   - timeout: How long to wait for a running gateway to unsubscribe from it.
  /// - Throws: An error of the radio; `CancellationError`.
  func forget(_ address: BluetoothAddress, isForAll: Bool, timeout: Duration) async throws -> ForgetOutcome
}

/// The current step of pairing, to show to the user.
public enum PairingStep: Hashable, Sendable {
  case searching
  case connecting(BluetoothAddress, name: String?)
  case resolving
  /// The monitor seems to have lost its keys. The bond is removed from this host, in order to create a new
  /// one.
  case removingBond(BluetoothAddress)
  /// The monitor has new keys, but this host also has a bond with the old ones. Both are removed, in order to
  /// pair again.
  case removingOldKeys(BluetoothAddress)
  case pairing
  case reading
}

/// The result of removing a monitor and its bond from this host.
public enum ForgetOutcome: Hashable, Sendable {
  case notKnown
  case forgotten
  /// Another program is subscribed to the monitor, so the host keeps the monitor and its bond.
  case leftToOthers
}

/// Asks the user for confirmations and passkeys while a monitor is being paired.
///
/// The monitor's display and keys determine which methods are called (Core Specification, Vol 3, Part H,
/// §2.3.5.1). *Just Works* calls none of them.
public protocol PairingDialogue: Sendable {
  /// Asks for the six digits that the monitor shows or that are printed on it.
  ///
  /// - Returns: The passkey, 0 to 999999; `nil` to refuse.
  func requestPasskey() async -> UInt32?
  /// Asks whether the monitor shows the same six digits.
  func confirm(passkey: UInt32) async -> Bool
  /// Shows the six digits that the user has to enter on the monitor.
  func show(passkey: UInt32) async
}

/// A dialogue without a user. It rejects every request, so only monitors that use *Just Works* can be paired.
public struct NoPairingDialogue: PairingDialogue {
  public init() {}
  public func requestPasskey() async -> UInt32? { nil }
  public func confirm(passkey: UInt32) async -> Bool { false }
  public func show(passkey: UInt32) async {}
}
