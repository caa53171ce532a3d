/// What is to be done for a call, found out before anything runs.
struct CallResolution {
  let interface: String
  let arguments: [Signature]
  let results: [Signature]
  let handler: ExportedMethod.Handler

  /// - Throws: `BusError` with `.unknownObject`, `.unknownInterface`, `.unknownMethod`, or
  ///   `.invalidArguments` where the signature is not the declared one.
  static func resolve(
    _ message: IncomingMessage, in tree: ExportedObjects
  ) throws(BusError) -> CallResolution {
    guard let path = message.path, let member = message.member, tree.hasNode(path) else {
      throw BusError(.unknownObject, "no object at \(message.path?.rawValue ?? "an unreadable path")")
    }
    let object = tree.objects[path]
    let methods = Self.methods(at: path, object, tree)
    // Without an interface the first method of the name is meant.
    guard
      let found = methods.first(where: { interface, method in
        method.name == member && (message.interface == nil || message.interface == interface)
      })
    else { throw unknown(message.interface, member, path, interfaces: Set(methods.map(\.0)), object) }
    let arguments = found.1.arguments.map(\.signature)
    let declared = arguments.map(\.rawValue).joined()
    guard message.signature.rawValue == declared else {
      throw BusError(.invalidArguments, "\(member) takes (\(declared)), not (\(message.signature))")
    }
    return CallResolution(
      interface: found.0, arguments: arguments, results: found.1.results.map(\.signature),
      handler: found.1.handler)
  }

  private static func unknown(
    _ interface: String?, _ member: String, _ path: ObjectPath, interfaces: Set<String>,
    _ object: ExportedObject?
  ) -> BusError {
    if let interface, !interfaces.contains(interface),
      object?.interfaces.contains(where: { $0.name == interface }) != true
    {
      return BusError(.unknownInterface, "\(path) has no interface \(interface)")
    }
    return BusError(.unknownMethod, "\(path) has no method \(member)")
  }

  private static func methods(
    at path: ObjectPath, _ object: ExportedObject?, _ tree: ExportedObjects
  ) -> [(String, ExportedMethod)] {
    var methods =
      object?.interfaces.flatMap { interface in interface.methods.map { (interface.name, $0) } } ?? []
    methods.append((StandardInterfaces.introspectable, introspect(path, tree)))
    if let object {
      methods += PropertyMethods(object: object).methods.map { (StandardInterfaces.properties, $0) }
      if object.isObjectManager {
        methods.append((StandardInterfaces.objectManager, ManagedObjects(tree.objects(below: path)).method))
      }
    }
    return methods
  }

  private static func introspect(_ path: ObjectPath, _ tree: ExportedObjects) -> ExportedMethod {
    ExportedMethod(name: "Introspect", results: [ExportedArgument("xml_data", "s")]) { _ in
      [.string(Introspection(of: path, in: tree).xml)]
    }
  }
}
