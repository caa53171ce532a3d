import DBus

/// An error from bluetoothd, identified by its D-Bus name: one of `org.bluez.Error.*` (BlueZ, `src/error.c`).
///
/// The name alone is not enough: the cause of `Failed` appears only in its message, and one cause can have
/// several names. Callers use ``meaning`` instead.
public struct BlueZError: Error, Hashable, Sendable {
  /// The D-Bus name, such as `org.bluez.Error.Failed`.
  public let name: String
  /// The text that bluetoothd or the bus sent. It may be empty.
  public let message: String

  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  init(_ error: BusError) { self.init(name: error.name.rawValue, message: error.message) }
}

extension BlueZError {
  /// The cause of an error, as far as callers have to react differently.
  public enum Meaning: Hashable, Sendable, CaseIterable {
    /// The adapter is off. Wait until it is powered.
    case adapterNotReady
    /// This or another program has already started the same operation. Wait for its result.
    case inProgress
    /// For example, the device is already connected. Continue as after a success.
    case alreadyDone
    /// The connection could not be made, or was lost at once. On LE, bluetoothd reports this for a peripheral
    /// that is out of range, that rejects the connection, or that lost its bond. Try again later.
    case connectFailed
    /// The peripheral or the adapter has no capacity for another connection. Try again later, or use another
    /// adapter.
    case connectionLimit
    /// The host or the monitor has lost its keys. The monitor must be paired again.
    case bondLost
    /// The device is not, or no longer, connected. Read its state from the object tree, and start over.
    case notConnected
    /// The D-Bus object no longer exists: an adapter, device or characteristic was removed, or bluetoothd
    /// exited. Look it up again instead of retrying with the same path.
    case objectGone
    /// The attribute requires an encrypted or authenticated link. Offer to pair.
    case pairingNeeded
    /// Another program has acquired the characteristic's notifications (AcquireNotify).
    case takenByAnother
    /// A policy of this machine or of bluetoothd forbids the operation.
    case notPermitted
    /// The peripheral does not support the operation.
    case notSupported
    /// The peripheral replied with an error code of the Attribute Protocol.
    case attributeError(UInt8)
    /// Pairing: the monitor or the user rejected it.
    case pairingRefused
    /// Pairing: the passkey was wrong, or the two sides have no method in common.
    case pairingFailed
    /// Pairing: the monitor did not answer in time.
    case pairingTimedOut
    /// bluetoothd or the bus is not running.
    case daemonAbsent
    /// There was no reply before the timeout, or the call was canceled.
    case noAnswer
    /// A call with invalid arguments: a bug in hrgate.
    case invalidArguments
    /// An error unknown to hrgate.
    case other

    /// One value per case; ``attributeError(_:)`` is included once, with the code 0x80.
    public static var allCases: [Meaning] {
      [
        .adapterNotReady, .inProgress, .alreadyDone, .connectFailed, .connectionLimit, .bondLost,
        .notConnected,
        .objectGone, .pairingNeeded, .takenByAnother, .notPermitted, .notSupported, .attributeError(0x80),
        .pairingRefused,
        .pairingFailed, .pairingTimedOut, .daemonAbsent, .noAnswer, .invalidArguments, .other,
      ]
    }
  }

  /// The meaning of ``name``. If a name has several meanings, ``message`` determines which one applies.
  public var meaning: Meaning {
    let prefix = "org.bluez.Error."
    if name.hasPrefix(prefix) { return Self.meaning(of: String(name.dropFirst(prefix.count)), message) }
    return Self.busMeanings[name] ?? .other
  }

  private static func meaning(of name: String, _ message: String) -> Meaning {
    switch name {
    case "NotReady": .adapterNotReady
    case "InProgress": .inProgress
    case "AlreadyConnected", "AlreadyExists": .alreadyDone
    case "NotConnected": .notConnected
    case "DoesNotExist": .objectGone
    case "NotPermitted": refusalMeaning(message)
    case "NotAuthorized": .notPermitted
    case "NotSupported", "NotAvailable": .notSupported
    case "InvalidArguments", "InvalidOffset", "InvalidValueLength": .invalidArguments
    case "AuthenticationCanceled", "AuthenticationRejected": .pairingRefused
    case "AuthenticationFailed": .pairingFailed
    case "AuthenticationTimeout": .pairingTimedOut
    case "ConnectionAttemptFailed": .connectFailed
    case "Failed", "ImproperlyConfigured": failureMeaning(message)
    default: .other
    }
  }

  private static func refusalMeaning(_ message: String) -> Meaning {
    if message.containsIgnoringCase("not paired") { return .pairingNeeded }
    return message.containsIgnoringCase("acquired") ? .takenByAnother : .notPermitted
  }

  /// Returns the meaning of `org.bluez.Error.Failed`, which appears only in its message. The messages are the
  /// same in all versions (BlueZ, `src/error.h`).
  private static func failureMeaning(_ message: String) -> Meaning {
    switch attributeCode(message) {
    // Insufficient Authentication, Insufficient Encryption (Core Specification, Vol 3, Part F, §3.4.1.1).
    case 0x05, 0x0F: return .pairingNeeded
    case .some(let code): return .attributeError(code)
    case nil: break
    }
    return failures.first { message.containsIgnoringCase($0.words) }?.meaning ?? .other
  }

  private static let failures: [(words: String, meaning: Meaning)] = [
    ("key-missing", .bondLost),
    ("connection-limit", .connectionLimit),
    ("adapter-not-powered", .adapterNotReady),
    ("not powered", .adapterNotReady),
    ("operation already in progress", .inProgress),
    ("in progress", .inProgress),
    ("busy", .inProgress),
    ("le-connection", .connectFailed),
    // bluetoothd reports a canceled LE connection with this BR/EDR message.
    ("br-connection-canceled", .connectFailed),
    ("connection", .connectFailed),
    ("timeout", .connectFailed),
    ("software caused", .connectFailed),
    ("host is down", .connectFailed),
    ("not connected", .notConnected),
    ("no such", .objectGone),
  ]

  /// Returns the ATT error code of a message such as "Operation failed with ATT error: 0x80".
  private static func attributeCode(_ message: String) -> UInt8? {
    guard let marker = message.firstRange(of: "ATT error: 0x") else { return nil }
    return UInt8(message[marker.upperBound...].prefix { $0.isHexDigit }, radix: 16)
  }

  private static let busMeanings: [String: Meaning] = [
    BusError.Name.unknownObject.rawValue: .objectGone,
    BusError.Name.unknownMethod.rawValue: .objectGone,
    BusError.Name.unknownInterface.rawValue: .objectGone,
    BusError.Name.serviceUnknown.rawValue: .daemonAbsent,
    BusError.Name.nameHasNoOwner.rawValue: .daemonAbsent,
    BusError.Name.disconnected.rawValue: .daemonAbsent,
    BusError.Name.accessDenied.rawValue: .notPermitted,
    BusError.Name.invalidArguments.rawValue: .invalidArguments,
    BusError.Name.noReply.rawValue: .noAnswer,
    BusError.Name.timedOut.rawValue: .noAnswer,
    BusError.Name.cancelled.rawValue: .noAnswer,
  ]
}

extension BlueZError {
  /// Whether this host canceled the connection attempt. The property `meaning` does not distinguish this from
  /// other failures.
  var isCancellation: Bool { message.containsIgnoringCase("canceled") }
}

extension BlueZError: CustomStringConvertible {
  public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension String {
  /// Whether the string contains `words`, which must be lower case.
  fileprivate func containsIgnoringCase(_ words: String) -> Bool { lowercased().contains(words) }
}

/// Advice for a D-Bus bus that is running but rejects this user.
enum BusAccessAdvice {
  /// D-Bus accepts only users that exist on the host. In a container or user namespace, a user's ID may be
  /// mapped to another ID on the host.
  static let remedy =
    "Run hrgate as a user of the system (getent passwd), not in a container that maps user IDs"
}

extension BusError {
  /// Whether the bus is reachable but has rejected this user. Valid only for an error of opening the bus.
  var refusesUser: Bool { name == .authenticationFailed || name == .accessDenied }
}
