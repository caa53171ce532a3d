/// `org.freedesktop.DBus.ObjectManager`: objects with their interfaces and the values of their properties.
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

  /// The interfaces of an object with their properties, `a{sa{sv}}`.
  static func interfaces(of object: ExportedObject) async throws(BusError) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for interface in object.interfaces {
      entries[.string(interface.name)] = .properties(
        try await PropertyMethods.values(of: interface.properties))
    }
    return .dictionary(key: "s", value: "a{sv}", entries)
  }
}
