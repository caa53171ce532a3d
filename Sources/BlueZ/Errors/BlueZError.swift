import DBus

/// An error of bluetoothd, by its D-Bus name: one of `org.bluez.Error.*` (BlueZ, `src/error.c`).
///
/// Most names say little: `Failed` has the cause in its message, and one cause has several names. The gateway
/// uses ``meaning``.
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
  /// What an error means to the caller, and what to do.
  public enum Meaning: Hashable, Sendable, CaseIterable {
    /// The adapter is off. Wait until it is powered. The peripheral is not the cause.
    case adapterNotReady
    /// The same operation is running, by us or another program. Wait for its result.
    case inProgress
    /// The wanted state exists already. Continue as after a success.
    case alreadyDone
    /// There was no link, or it ended at once. On LE bluetoothd reports nothing more for a peripheral that is
    /// away, that refuses, or that lost its bond. Wait until the device is disconnected, then try again
    /// later.
    case connectFailed
    /// The peripheral or the adapter cannot make another link. Try again later, or by another adapter.
    case connectionLimit
    /// One side has lost its keys. The monitor must be paired again.
    case bondLost
    /// There was no link, or it has ended. Look at the object tree, and start over.
    case notConnected
    /// The object is gone: an adapter, device or characteristic was removed, or bluetoothd exited. Find the
    /// object again; do not retry with the same path.
    case objectGone
    /// The attribute requires an encrypted or authenticated link. Offer pairing.
    case pairingNeeded
    /// Another program has acquired the characteristic's notifications (AcquireNotify).
    case takenByAnother
    /// The policy of this machine or of bluetoothd does not allow it.
    case notPermitted
    /// The peripheral cannot do this.
    case notSupported
    /// The peripheral answered with an error code of the Attribute Protocol.
    case attributeError(UInt8)
    /// Pairing: the monitor or the user refused.
    case pairingRefused
    /// Pairing: the passkey was wrong, or there is no common method.
    case pairingFailed
    /// Pairing: the monitor did not answer in time.
    case pairingTimedOut
    /// bluetoothd or the bus does not run.
    case daemonAbsent
    /// There was no reply in time, or the call was canceled.
    case noAnswer
    /// An error of hrgate.
    case invalidArguments
    /// Not known to hrgate.
    case other

    /// One value for each case. ``attributeError(_:)`` has an example code.
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

  /// The meaning of the name, and for the names with several causes of the message.
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

  /// Returns the meaning of `Failed`, by its message. The words are stable across versions (BlueZ,
  /// `src/error.h`).
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
    // For a canceled LE attempt bluetoothd uses the name of the other radio.
    ("br-connection-canceled", .connectFailed),
    ("connection", .connectFailed),
    ("timeout", .connectFailed),
    ("software caused", .connectFailed),
    ("host is down", .connectFailed),
    ("not connected", .notConnected),
    ("no such", .objectGone),
  ]

  /// "Operation failed with ATT error: 0x80".
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
  /// Whether our side canceled the attempt. `meaning` does not distinguish this from other failures.
  var isCancellation: Bool { message.containsIgnoringCase("canceled") }
}

extension BlueZError: CustomStringConvertible {
  public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension String {
  /// Whether the string contains `words`, which must be lower case.
  fileprivate func containsIgnoringCase(_ words: String) -> Bool { lowercased().contains(words) }
}

/// The remedy for a bus that runs but rejects this user.
enum BusRefusal {
  /// The bus accepts users of the system. A user in a container or user namespace has a different ID outside.
  static let remedy =
    "Run hrgate as a user of the system (getent passwd), not in a container that maps user IDs"
}

extension BusError {
  /// Whether the bus could be reached but rejected this user. Only for errors of opening a bus.
  var refusesUser: Bool { name == .authenticationFailed || name == .accessDenied }
}
