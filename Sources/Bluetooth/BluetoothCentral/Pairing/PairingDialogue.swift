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
