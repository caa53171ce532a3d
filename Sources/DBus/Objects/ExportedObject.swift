/// What one object offers. The introspection data follow from it, and calls are checked against it.
public struct ExportedObject: Sendable {
  public var interfaces: [ExportedInterface]
  /// Whether it answers `org.freedesktop.DBus.ObjectManager.GetManagedObjects` with the objects below it.
  public var isObjectManager: Bool

  public init(interfaces: [ExportedInterface] = [], isObjectManager: Bool = false) {
    self.interfaces = interfaces
    self.isObjectManager = isObjectManager
  }
}

/// An interface, described as in introspection data.
public struct ExportedInterface: Sendable {
  public var name: String
  public var methods: [ExportedMethod]
  public var properties: [ExportedProperty]
  public var signals: [ExportedSignal]

  public init(
    name: String, methods: [ExportedMethod] = [], properties: [ExportedProperty] = [],
    signals: [ExportedSignal] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }
}

/// A named argument of a method or of a signal, of one complete type.
public struct ExportedArgument: Hashable, Sendable {
  public var name: String
  public var signature: Signature

  public init(_ name: String, _ signature: Signature) {
    self.name = name
    self.signature = signature
  }
}

/// A method and what it does.
public struct ExportedMethod: Sendable {
  /// Runs off the connection's thread, several calls at once, in a task that is cancelled when the connection
  /// ends. What it throws is the reply; what it returns must have the declared types.
  public typealias Handler = @Sendable (IncomingCall) async throws(BusError) -> [DBusValue]

  public var name: String
  public var arguments: [ExportedArgument]
  public var results: [ExportedArgument]
  public var handler: Handler

  public init(
    name: String, arguments: [ExportedArgument] = [], results: [ExportedArgument] = [],
    handler: @escaping Handler
  ) {
    self.name = name
    self.arguments = arguments
    self.results = results
    self.handler = handler
  }
}

/// A property. Without `set` it is read-only.
public struct ExportedProperty: Sendable {
  public var name: String
  public var signature: Signature
  /// Whether each change is told by *PropertiesChanged*. Introspection says so where it is not.
  public var tellsChanges = true
  public var get: @Sendable () async throws(BusError) -> DBusValue
  public var set: (@Sendable (DBusValue) async throws(BusError) -> Void)?

  public init(
    name: String, signature: Signature, get: @escaping @Sendable () async throws(BusError) -> DBusValue,
    set: (@Sendable (DBusValue) async throws(BusError) -> Void)? = nil
  ) {
    self.name = name
    self.signature = signature
    self.get = get
    self.set = set
  }

  /// A property that never changes.
  public init(name: String, constant value: DBusValue) {
    self.init(name: name, signature: value.signature, get: { () throws(BusError) in value })
  }
}

/// A signal that the object emits, with `BusConnection.emitSignal`.
public struct ExportedSignal: Hashable, Sendable {
  public var name: String
  public var arguments: [ExportedArgument]

  public init(name: String, arguments: [ExportedArgument] = []) {
    self.name = name
    self.arguments = arguments
  }
}

/// A call that came. Its body has the declared signature.
public struct IncomingCall: Sendable {
  /// The unique name of the caller.
  public var sender: String?
  public var path: ObjectPath
  public var interface: String
  public var member: String
  public var body: [DBusValue]
  public var arrival: Arrival

  public init(
    sender: String?, path: ObjectPath, interface: String, member: String, body: [DBusValue], arrival: Arrival
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
    self.arrival = arrival
  }
}
