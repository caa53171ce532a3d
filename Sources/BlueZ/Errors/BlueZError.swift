import DBus

/// What bluetoothd refuses with, by its own name: one of `org.bluez.Error.*` (BlueZ, `src/error.c`).
///
/// Most names say little by themselves: `Failed` carries the cause in its message, and one cause has several
/// names. ``Meaning`` is what the gateway acts upon.
public struct BlueZError: Error, Hashable, Sendable {
  public let name: String
  public let message: String

  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  init(_ error: BusError) { self.init(name: error.name.rawValue, message: error.message) }
}

extension BlueZError {
  /// What an error means to whoever made the call, and what is done about it.
  public enum Meaning: Hashable, Sendable, CaseIterable {
    /// The adapter is off: wait until it is powered. No fault of the peripheral.
    case adapterNotReady
    /// Another attempt of the same is running, ours or another program's: wait for its outcome, do not add to
    /// it.
    case inProgress
    /// It is so already: go on as if the call had succeeded.
    case alreadyDone
    /// No link came about, or it ended at once. On LE this is all that bluetoothd says of a peripheral that
    /// is away, that refuses, or that lost its bond: wait until it is said to be disconnected, then try again
    /// later.
    case connectFailed
    /// The peripheral or the adapter has no room for a further link: try again later, or by another adapter.
    case connectionLimit
    /// The keys of one side are gone: the monitor must be paired again.
    case bondLost
    /// The link was not up, or is no longer: look at the tree, and start over.
    case notConnected
    /// The object is gone: an adapter, device or characteristic that was removed, or a daemon that went. Find
    /// it again; never try the same path blindly.
    case objectGone
    /// The attribute wants an encrypted or authenticated link: offer pairing.
    case pairingNeeded
    /// Another program has acquired the characteristic's notifications (AcquireNotify).
    case takenByAnother
    /// The policy of this machine, or of bluetoothd, forbids it.
    case notPermitted
    /// The peripheral cannot do this.
    case notSupported
    /// The peripheral answered with an error of the attribute protocol.
    case attributeError(UInt8)
    /// Pairing: the other side, or the user, said no.
    case pairingRefused
    /// Pairing: the passkey was wrong, or the two sides cannot agree on a method.
    case pairingFailed
    /// Pairing: the other side did not answer in time.
    case pairingTimedOut
    /// The daemon or the bus is away.
    case daemonAbsent
    /// No answer came in time, or nobody waits for it any more.
    case noAnswer
    /// Our own mistake.
    case invalidArguments
    /// Nothing that the gateway knows.
    case other

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

  /// `Failed` says in its message what failed, in words that are stable across versions (BlueZ,
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
    // An LE attempt that was cancelled is named after the other radio.
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
  /// An attempt was ended from this side. `meaning` does not tell that from one that failed by itself.
  var isCancellation: Bool { message.containsIgnoringCase("canceled") }
}

extension BlueZError: CustomStringConvertible {
  public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension String {
  /// `words` are lower case.
  fileprivate func containsIgnoringCase(_ words: String) -> Bool { lowercased().contains(words) }
}
