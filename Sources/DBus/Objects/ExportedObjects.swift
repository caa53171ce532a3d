/// The D-Bus interfaces that the connection itself implements for all objects (D-Bus specification, "Standard
/// Interfaces").
enum StandardInterfaces {
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// Methods of this interface are answered at every path.
  static let peer = "org.freedesktop.DBus.Peer"

  static let names: Set<String> = [introspectable, properties, objectManager, peer]
}

/// The exported objects of a connection by path. The parent paths of an object also exist, but only for
/// introspection.
struct ExportedObjects {
  private(set) var objects: [ObjectPath: ExportedObject] = [:]

  /// - Throws: `BusError` with `.alreadyTaken`, or `.invalidMessage` for an invalid description.
  mutating func insert(_ object: ExportedObject, at path: ObjectPath) throws(BusError) {
    try object.check()
    guard objects[path] == nil else { throw BusError(.alreadyTaken, "\(path) is already exported") }
    objects[path] = object
  }

  mutating func remove(_ path: ObjectPath) -> ExportedObject? {
    objects.removeValue(forKey: path)
  }

  /// Returns whether the path is an object or a parent of one. The root always is.
  func hasNode(_ path: ObjectPath) -> Bool {
    path == .root || objects.keys.contains { $0.hasPrefix(path) }
  }

  /// Returns the last path elements of the direct children, in alphabetical order.
  func children(of path: ObjectPath) -> [String] {
    let depth = path.components.count
    let names = objects.keys.filter { $0 != path && $0.hasPrefix(path) }.map { String($0.components[depth]) }
    return Set(names).sorted()
  }

  /// Returns the objects below a path, not including the one at the path.
  func objects(below path: ObjectPath) -> [ObjectPath: ExportedObject] {
    objects.filter { $0.key != path && $0.key.hasPrefix(path) }
  }

  /// Returns the path of the nearest object manager above a path.
  func manager(above path: ObjectPath) -> ObjectPath? {
    var place = path.parent
    while let here = place {
      if objects[here]?.isObjectManager == true { return here }
      place = here.parent
    }
    return nil
  }
}

/// `org.freedesktop.DBus.ObjectManager`: lists objects with their interfaces and properties.
struct ManagedObjects: Sendable {
  private let objects: [ObjectPath: ExportedObject]

  init(_ objects: [ObjectPath: ExportedObject]) {
    self.objects = objects
  }

  var method: ExportedMethod {
    ExportedMethod(
      name: "GetManagedObjects", results: [.init("object_paths_interfaces_and_properties", "a{oa{sa{sv}}}")]
    ) { _ throws(BusError) in
      var entries: [DBusValue: DBusValue] = [:]
      for (path, object) in objects {
        entries[.objectPath(path)] = try await Self.interfaces(of: object)
      }
      return [.dictionary(key: "o", value: "a{sa{sv}}", entries)]
    }
  }

  /// Returns the interfaces of an object with their properties (D-Bus signature `a{sa{sv}}`).
  static func interfaces(of object: ExportedObject) async throws(BusError) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for interface in object.interfaces {
      entries[.string(interface.name)] = .properties(
        try await PropertyMethods.values(of: interface.properties))
    }
    return .dictionary(key: "s", value: "a{sv}", entries)
  }
}

/// `org.freedesktop.DBus.Properties` of one object.
struct PropertyMethods: Sendable {
  let object: ExportedObject

  var methods: [ExportedMethod] {
    [
      ExportedMethod(
        name: "Get", arguments: [.init("interface", "s"), .init("name", "s")], results: [.init("value", "v")]
      ) { call throws(BusError) in
        let property = try property(of: call)
        return [.variant(try await property.checkedValue())]
      },
      ExportedMethod(
        name: "GetAll", arguments: [.init("interface", "s")], results: [.init("properties", "a{sv}")]
      ) { call throws(BusError) in
        let interfaces = try interfaces(named: call.body[0].asString ?? "")
        return [.properties(try await Self.values(of: interfaces.flatMap(\.properties)))]
      },
      ExportedMethod(
        name: "Set", arguments: [.init("interface", "s"), .init("name", "s"), .init("value", "v")]
      ) { call throws(BusError) in
        try await set(call)
        return []
      },
    ]
  }

  /// Returns the values of the properties by name. A property whose value cannot be read now is omitted.
  static func values(of properties: [ExportedProperty]) async throws(BusError) -> [String: DBusValue] {
    var values: [String: DBusValue] = [:]
    for property in properties {
      do throws(BusError) {
        values[property.name] = try await property.checkedValue()
      } catch  where error.name != .invalidMessage {
        continue
      }
    }
    return values
  }

  private func set(_ call: BusMessage) async throws(BusError) {
    let property = try property(of: call)
    guard let set = property.set else {
      throw BusError(.propertyReadOnly, "\(property.name) is read-only")
    }
    guard case .variant(let value) = call.body[2], value.signature == property.signature else {
      throw BusError(.invalidArguments, "\(property.name) is of the type \(property.signature)")
    }
    try await set(value)
  }

  private func property(of call: BusMessage) throws(BusError) -> ExportedProperty {
    let name = call.body[1].asString ?? ""
    let interfaces = try interfaces(named: call.body[0].asString ?? "")
    guard let property = interfaces.flatMap(\.properties).first(where: { $0.name == name }) else {
      throw BusError(.unknownProperty, "no property \(name)")
    }
    return property
  }

  /// Returns the interfaces with this name, or all interfaces if the name is empty.
  private func interfaces(named name: String) throws(BusError) -> [ExportedInterface] {
    let interfaces = object.interfaces.filter { name.isEmpty || $0.name == name }
    if interfaces.isEmpty, !StandardInterfaces.names.contains(name) {
      throw BusError(.unknownInterface, "no interface \(name)")
    }
    return interfaces
  }
}

extension ExportedProperty {
  /// - Throws: The error of `get`; `BusError` with `.invalidMessage` for a value of another type.
  func checkedValue() async throws(BusError) -> DBusValue {
    let value = try await get()
    guard value.signature == signature else {
      throw BusError(.invalidMessage, "\(name) is of the type \(signature), not \(value.signature)")
    }
    return value
  }
}
