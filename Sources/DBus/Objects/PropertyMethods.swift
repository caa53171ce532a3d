/// `org.freedesktop.DBus.Properties` for one object.
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

  /// The values by name. A property that cannot be read now is left out, as it is where it is not there.
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

  private func set(_ call: IncomingCall) async throws(BusError) {
    let property = try property(of: call)
    guard let set = property.set else {
      throw BusError(.propertyReadOnly, "\(property.name) is read-only")
    }
    guard case .variant(let value) = call.body[2], value.signature == property.signature else {
      throw BusError(.invalidArguments, "\(property.name) is of the type \(property.signature)")
    }
    try await set(value)
  }

  private func property(of call: IncomingCall) throws(BusError) -> ExportedProperty {
    let name = call.body[1].asString ?? ""
    let interfaces = try interfaces(named: call.body[0].asString ?? "")
    guard let property = interfaces.flatMap(\.properties).first(where: { $0.name == name }) else {
      throw BusError(.unknownProperty, "no property \(name)")
    }
    return property
  }

  /// The empty name stands for all interfaces.
  private func interfaces(named name: String) throws(BusError) -> [ExportedInterface] {
    let interfaces = object.interfaces.filter { name.isEmpty || $0.name == name }
    if interfaces.isEmpty, !StandardInterfaces.names.contains(name) {
      throw BusError(.unknownInterface, "no interface \(name)")
    }
    return interfaces
  }
}

extension ExportedProperty {
  /// - Throws: what `get` throws; `BusError` with `.invalidMessage` when it gave a value of another type.
  func checkedValue() async throws(BusError) -> DBusValue {
    let value = try await get()
    guard value.signature == signature else {
      throw BusError(.invalidMessage, "\(name) is of the type \(signature), not \(value.signature)")
    }
    return value
  }
}
