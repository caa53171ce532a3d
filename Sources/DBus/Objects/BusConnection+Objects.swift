extension BusConnection {
  /// Exports an object. The connection implements Introspectable, Properties, Peer and, if requested,
  /// ObjectManager. The object's parent paths can be introspected too.
  ///
  /// - Throws: `BusError` with `.alreadyTaken`, `.invalidMessage` for invalid names and types,
  ///   `.disconnected`.
  public func export(_ object: ExportedObject, at path: ObjectPath) throws(BusError) {
    try openConnection()
    try objects.insert(object, at: path)
  }

  /// Removes an object. Running method calls continue. The nearest object manager above the object emits
  /// `InterfacesRemoved`.
  public func unexport(_ path: ObjectPath) {
    guard let object = objects.remove(path), let manager = objects.manager(above: path) else { return }
    // After the end of the connection, there is no client to notify.
    try? emitSignal(
      path: manager, interface: StandardInterfaces.objectManager, member: "InterfacesRemoved",
      body: [.objectPath(path), .strings(object.interfaces.map(\.name))])
  }

  /// Makes the nearest object manager above an object emit `InterfacesAdded` with the current properties.
  /// Call this for an object that is exported after clients have called GetManagedObjects.
  ///
  /// - Throws: `BusError` with `.unknownObject` if there is no such object or no manager above it,
  ///   `.disconnected`.
  public func announce(_ path: ObjectPath) async throws(BusError) {
    guard let object = objects.objects[path], let manager = objects.manager(above: path) else {
      throw BusError(
        .unknownObject, "no object is exported at \(path), or there is no object manager above it")
    }
    let interfaces = try await ManagedObjects.interfaces(of: object)
    try emitSignal(
      path: manager, interface: StandardInterfaces.objectManager, member: "InterfacesAdded",
      body: [.objectPath(path), interfaces])
  }

  /// Emits `PropertiesChanged`.
  ///
  /// - Parameter invalidated: Properties that have changed but whose new values are not sent.
  public func emitPropertiesChanged(
    path: ObjectPath, interface: String, changed: [String: DBusValue], invalidated: [String] = []
  ) throws(BusError) {
    try emitSignal(
      path: path, interface: StandardInterfaces.properties, member: "PropertiesChanged",
      body: [.string(interface), .properties(changed), .strings(invalidated)])
  }

  /// Runs the method that `message` calls, and replies. Rejects the call if too many calls are running.
  func answer(_ message: IncomingMessage, _ arrival: Arrival) {
    let caller = message.wantsReply ? ReplyAddress(sender: message.sender, serial: message.serial) : nil
    do throws(BusError) {
      if message.interface == StandardInterfaces.peer {
        return reply(.success(try Self.answerPeer(message)), to: caller)
      }
      let resolution = try CallResolution.resolve(message, in: objects)
      guard handlers.count < Self.mostHandlers else {
        throw BusError(
          .limitsExceeded,
          "\(handlers.count) calls are already running, which is the maximum; try again later")
      }
      run(resolution, try message.converted(interface: resolution.interface, arrival), caller)
    } catch {
      reply(.failure(error), to: caller)
    }
  }

  private static let mostHandlers = 1024

  private func run(_ resolution: CallResolution, _ call: BusMessage, _ caller: ReplyAddress?) {
    let ticket = nextTicket()
    // The connection stores the task, to cancel it when the connection ends.
    handlers[ticket] = Task {
      let result: Result<[DBusValue], BusError>
      do throws(BusError) {
        let values = try await resolution.handler(call)
        guard values.map(\.signature) == resolution.results else {
          throw BusError(
            .failed, "the method \(call.member) returned values of the wrong types (\(values.bodySignature))")
        }
        result = .success(values)
      } catch {
        result = .failure(error)
      }
      handlers[ticket] = nil
      reply(result, to: caller)
    }
  }

  /// Sends the reply to a call. If the result cannot be sent, sends the resulting error instead.
  private func reply(_ result: Result<[DBusValue], BusError>, to caller: ReplyAddress?) {
    guard let caller else { return }
    do throws(BusError) {
      _ = try send(OutgoingMessage(returning: result.get(), to: caller))
    } catch {
      // After the end of the connection, there is no caller to reply to.
      if let message = try? OutgoingMessage(failure: error, to: caller) { _ = try? send(message) }
    }
  }

  /// Returns the reply to a method of `org.freedesktop.DBus.Peer`, which every path has.
  ///
  /// - Throws: `BusError` with `.unknownMethod` or `.invalidArguments`, and libdbus's own error for a machine
  ///   without an ID.
  private static func answerPeer(_ message: IncomingMessage) throws(BusError) -> [DBusValue] {
    let member = message.member ?? ""
    guard ["Ping", "GetMachineId"].contains(member) else {
      throw BusError(.unknownMethod, "\(StandardInterfaces.peer) has no method \(member)")
    }
    guard message.signature.rawValue.isEmpty else {
      throw BusError(.invalidArguments, "the method \(member) takes no arguments, not (\(message.signature))")
    }
    return member == "Ping" ? [] : [.string(try RawConnection.machineID())]
  }
}

/// The method that a call names, with its handler, determined before anything runs.
struct CallResolution {
  let interface: String
  let arguments: [Signature]
  let results: [Signature]
  let handler: ExportedMethod.Handler

  /// - Throws: `BusError` with `.unknownObject`, `.unknownInterface`, `.unknownMethod`, or
  ///   `.invalidArguments` if the arguments do not have the declared signature.
  static func resolve(
    _ message: IncomingMessage, in tree: ExportedObjects
  ) throws(BusError) -> CallResolution {
    guard let path = message.path, let member = message.member, tree.hasNode(path) else {
      throw BusError(.unknownObject, "no object at \(message.path?.rawValue ?? "an unreadable path")")
    }
    let object = tree.objects[path]
    let methods = Self.methods(at: path, object, tree)
    // If the call does not name an interface, use the first method with the name.
    guard
      let found = methods.first(where: { interface, method in
        method.name == member && (message.interface == nil || message.interface == interface)
      })
    else { throw unknown(message.interface, member, path, interfaces: Set(methods.map(\.0)), object) }
    let arguments = found.1.arguments.map(\.signature)
    let declared = arguments.map(\.rawValue).joined()
    guard message.signature.rawValue == declared else {
      throw BusError(
        .invalidArguments,
        "the method \(member) takes arguments of the types (\(declared)), not (\(message.signature))")
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
