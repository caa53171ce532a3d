/// A radio that finds heart-rate monitors, pairs with them and forgets them.
///
/// `BlueZRadio` is the Bluetooth of this machine, and `SimulatedRadio` has simulated straps. A `Central`
/// reports what monitors send afterwards.
public protocol PairingRadio: Sendable {
  /// Listens for monitors for a limited time.
  ///
  /// - Parameters:
  ///   - known: Monitors that are reported whatever they advertise.
  ///   - showsAll: Whether to report every device, and not only heart-rate monitors.
  ///   - report: Called a few times a second with all devices heard so far, strongest signal first.
  /// - Throws: An error of the radio; `CancellationError`.
  func scan(
    for time: Duration, known: Set<BluetoothAddress>, showsAll: Bool,
    report: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws

  /// Finds a monitor, connects to it, checks that it measures heart rate, pairs with it and reads what it
  /// says about itself.
  ///
  /// - Parameter monitor: An address, or a name as it is advertised.
  /// - Throws: ``PairingError``; an error of the radio; `CancellationError`.
  func pair(
    _ monitor: String, bonding: Bonding, dialogue: any PairingDialogue,
    progress: @escaping @Sendable (PairingStep) -> Void
  ) async throws -> MonitorFacts

  /// Removes a monitor and its bond from this host.
  ///
  /// - Parameters:
  ///   - isForAll: Whether to remove it also if another program follows it.
  ///   - timeout: How long to wait for a gateway to stop following it.
  /// - Throws: An error of the radio; `CancellationError`.
  func forget(_ address: BluetoothAddress, isForAll: Bool, timeout: Duration) async throws -> ForgetOutcome
}

/// The step that pairing is at, for the user to see.
public enum PairingStep: Hashable, Sendable {
  case searching
  case connecting(BluetoothAddress, name: String?)
  case resolving
  /// The monitor seems to have lost its bond. It is removed here to make a new one.
  case removingBond(BluetoothAddress)
  /// The monitor has new keys, and this host also knows it by old ones. All are removed to pair once more.
  case removingOldKeys(BluetoothAddress)
  case pairing
  case reading
}

/// The result of removing a monitor and its bond from this host.
public enum ForgetOutcome: Hashable, Sendable {
  case notKnown
  case forgotten
  /// Another program has subscribed to its measurements, so the host keeps the monitor and its bond.
  case leftToOthers
}

/// The answers of the user while a monitor is paired.
///
/// Which questions are asked depends on what the monitor can do (Core Specification, Vol 3, Part H,
/// §2.3.5.1): none for *just works*.
public protocol PairingDialogue: Sendable {
  /// The monitor shows six digits, or has them printed on it.
  ///
  /// - Returns: The passkey, 0 to 999999; `nil` to refuse.
  func requestPasskey() async -> UInt32?
  /// The monitor shows six digits as well: are they the same?
  func confirm(passkey: UInt32) async -> Bool
  /// The user is to enter these six digits at the monitor.
  func show(passkey: UInt32) async
}

/// A dialogue without a user. It refuses every question, so only monitors that ask none are paired.
public struct NoPairingDialogue: PairingDialogue {
  public init() {}
  public func requestPasskey() async -> UInt32? { nil }
  public func confirm(passkey: UInt32) async -> Bool { false }
  public func show(passkey: UInt32) async {}
}
