/// An error on the bus: one that a peer replied, or one that this side found before or instead of a reply.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  public var name: Name
  /// For people; what it says is not agreed.
  public var message: String

  public init(_ name: Name, _ message: String) {
    self.name = name
    self.message = message
  }

  public var description: String {
    message.isEmpty ? name.rawValue : "\(name.rawValue): \(message)"
  }

  /// What went wrong. The set is open: services have names of their own, `org.bluez.Error.InProgress` for
  /// one.
  public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public var description: String { rawValue }
  }
}

extension BusError.Name: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) {
    rawValue = text.description
  }
}

/// The bus's own.
extension BusError.Name {
  public static let failed: Self = "org.freedesktop.DBus.Error.Failed"
  /// The peer went, or the daemon gave up on it. Our own timer says `timedOut`.
  public static let noReply: Self = "org.freedesktop.DBus.Error.NoReply"
  public static let serviceUnknown: Self = "org.freedesktop.DBus.Error.ServiceUnknown"
  public static let nameHasNoOwner: Self = "org.freedesktop.DBus.Error.NameHasNoOwner"
  public static let noServer: Self = "org.freedesktop.DBus.Error.NoServer"
  public static let fileNotFound: Self = "org.freedesktop.DBus.Error.FileNotFound"
  public static let badAddress: Self = "org.freedesktop.DBus.Error.BadAddress"
  public static let accessDenied: Self = "org.freedesktop.DBus.Error.AccessDenied"
  public static let authenticationFailed: Self = "org.freedesktop.DBus.Error.AuthFailed"
  public static let limitsExceeded: Self = "org.freedesktop.DBus.Error.LimitsExceeded"
  public static let noMemory: Self = "org.freedesktop.DBus.Error.NoMemory"
  public static let notSupported: Self = "org.freedesktop.DBus.Error.NotSupported"
  public static let invalidArguments: Self = "org.freedesktop.DBus.Error.InvalidArgs"
  public static let unknownMethod: Self = "org.freedesktop.DBus.Error.UnknownMethod"
  public static let unknownObject: Self = "org.freedesktop.DBus.Error.UnknownObject"
  public static let unknownInterface: Self = "org.freedesktop.DBus.Error.UnknownInterface"
  public static let unknownProperty: Self = "org.freedesktop.DBus.Error.UnknownProperty"
  public static let propertyReadOnly: Self = "org.freedesktop.DBus.Error.PropertyReadOnly"
}

/// Ours: no peer said these, this side found them.
extension BusError.Name {
  /// The connection is closed, by us or by the daemon. What was asked for may or may not have happened.
  public static let disconnected: Self = "org.hrgate.DBus.Error.Disconnected"
  /// No reply within the time given. What was asked for may still happen.
  public static let timedOut: Self = "org.hrgate.DBus.Error.TimedOut"
  /// The task that waited was cancelled. What was asked for may still happen.
  public static let cancelled: Self = "org.hrgate.DBus.Error.Cancelled"
  /// The message breaks a rule of the protocol and was not sent, or what came cannot be read.
  public static let invalidMessage: Self = "org.hrgate.DBus.Error.InvalidMessage"
  /// The path is exported already, or the name belongs to somebody else.
  public static let alreadyTaken: Self = "org.hrgate.DBus.Error.AlreadyTaken"
}
