/// A D-Bus error: an error reply from another program or the bus, or an error that this program detected.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  public var name: Name
  /// A message for the user. Its wording is not standardized.
  public var message: String

  public init(_ name: Name, _ message: String) {
    self.name = name
    self.message = message
  }

  public var description: String {
    message.isEmpty ? name.rawValue : "\(name.rawValue): \(message)"
  }

  /// The error name. Any name is possible, because programs define their own, for example
  /// `org.bluez.Error.InProgress`.
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

/// Error names defined by the D-Bus specification or libdbus.
extension BusError.Name {
  public static let failed: Self = "org.freedesktop.DBus.Error.Failed"
  /// The called program exited, or the bus stopped waiting for its reply. If it was this program that stopped
  /// waiting, the name is `timedOut`.
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

/// Names of errors that this program detects.
extension BusError.Name {
  /// The connection was closed by this program or by the bus. The call may have been executed.
  public static let disconnected: Self = "org.hrgate.DBus.Error.Disconnected"
  /// There was no reply within the timeout. The call may still be executed.
  public static let timedOut: Self = "org.hrgate.DBus.Error.TimedOut"
  /// The waiting task was canceled. The call may still be executed.
  public static let cancelled: Self = "org.hrgate.DBus.Error.Cancelled"
  /// The message violates the protocol and was not sent, or a received message cannot be decoded.
  public static let invalidMessage: Self = "org.hrgate.DBus.Error.InvalidMessage"
  /// The path is already exported, or the name belongs to another connection.
  public static let alreadyTaken: Self = "org.hrgate.DBus.Error.AlreadyTaken"
}
