/// An object that this connection offers to other programs. Its interfaces are the basis for introspection
/// data and for checking the arguments of calls.
public struct ExportedObject: Sendable {
  public var interfaces: [ExportedInterface]
  /// Whether it implements `org.freedesktop.DBus.ObjectManager.GetManagedObjects` for the objects below it.
  public var isObjectManager: Bool

  public init(interfaces: [ExportedInterface] = [], isObjectManager: Bool = false) {
    self.interfaces = interfaces
    self.isObjectManager = isObjectManager
  }
}

/// An interface of an exported object.
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

/// A named argument of a method or a signal. Its signature is one complete type.
public struct ExportedArgument: Hashable, Sendable {
  public var name: String
  public var signature: Signature

  public init(_ name: String, _ signature: Signature) {
    self.name = name
    self.signature = signature
  }
}

/// A method and its implementation.
public struct ExportedMethod: Sendable {
  /// Implements the method. Several calls may run at once, off the event loop's thread. The task is canceled
  /// when the connection ends. A thrown error is sent as the reply. The returned values must have the
  /// declared types.
  public typealias Handler = @Sendable (BusMessage) async throws(BusError) -> [DBusValue]

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

/// A property; read-only without `set`.
public struct ExportedProperty: Sendable {
  public var name: String
  public var signature: Signature
  /// Whether the program emits *PropertiesChanged* for each change. If not, the introspection data says so.
  public var emitsChanges = true
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

  /// Creates a property that never changes.
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

extension ExportedObject {
  /// - Throws: `BusError` with `.invalidMessage` for a name or type that D-Bus does not allow.
  func check() throws(BusError) {
    try Self.requireDistinct(interfaces.map(\.name))
    for interface in interfaces {
      try Self.require(BusNames.isInterface(interface.name), "invalid interface name: \(interface.name)")
      try Self.require(
        !StandardInterfaces.names.contains(interface.name),
        "\(interface.name) is a standard interface, which the connection implements itself")
      try Self.requireDistinct(interface.methods.map(\.name))
      try Self.requireDistinct(interface.properties.map(\.name))
      let members =
        interface.methods.map(\.name) + interface.signals.map(\.name) + interface.properties.map(\.name)
      for member in members { try Self.require(BusNames.isMember(member), "invalid member name: \(member)") }
      let arguments =
        interface.methods.flatMap { $0.arguments + $0.results } + interface.signals.flatMap(\.arguments)
      for signature in arguments.map(\.signature) + interface.properties.map(\.signature) {
        try Self.require(signature.isSingleType, "not a single complete type: \(signature)")
      }
    }
  }

  private static func require(_ condition: Bool, _ message: String) throws(BusError) {
    guard condition else { throw BusError(.invalidMessage, message) }
  }

  private static func requireDistinct(_ names: [String]) throws(BusError) {
    try require(
      Set(names).count == names.count,
      "an interface declares two methods or two properties with the same name")
  }
}
