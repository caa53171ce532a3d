extension BusConnection {
  /// Offers an object. Introspectable, Properties, Peer and, where the object says so, ObjectManager are
  /// answered by the connection; paths between objects can be introspected.
  ///
  /// - Throws: `BusError` with `.alreadyTaken`, `.invalidMessage` for names and types that are none,
  ///   `.disconnected`.
  public func export(_ object: ExportedObject, at path: ObjectPath) throws(BusError) {
    _ = try openWire()
    try objects.insert(object, at: path)
  }

  /// Takes an object back. Calls that run go on. A manager above it tells its watchers with
  /// `InterfacesRemoved`.
  public func unexport(_ path: ObjectPath) {
    guard let object = objects.remove(path), let manager = objects.manager(above: path) else { return }
    // On a connection that has ended nobody is left to be told.
    try? emitSignal(
      path: manager, interface: StandardInterfaces.objectManager, member: "InterfacesRemoved",
      body: [.objectPath(path), .strings(object.interfaces.map(\.name))])
  }

  /// Tells the watchers of the manager above an object that it is there, `InterfacesAdded`, with its
  /// properties as they are. For objects that come after others have asked for the managed objects.
  ///
  /// - Throws: `BusError` with `.unknownObject` where there is no such object or no manager above it,
  ///   `.disconnected`.
  public func announce(_ path: ObjectPath) async throws(BusError) {
    guard let object = objects.objects[path], let manager = objects.manager(above: path) else {
      throw BusError(.unknownObject, "no object at \(path), or no object manager above it")
    }
    let interfaces = try await ManagedObjects.interfaces(of: object)
    try emitSignal(
      path: manager, interface: StandardInterfaces.objectManager, member: "InterfacesAdded",
      body: [.objectPath(path), interfaces])
  }

  /// Emits `PropertiesChanged`.
  ///
  /// - Parameter invalidated: properties that changed and whose values are not sent along.
  public func emitPropertiesChanged(
    path: ObjectPath, interface: String, changed: [String: DBusValue], invalidated: [String] = []
  ) throws(BusError) {
    try emitSignal(
      path: path, interface: StandardInterfaces.properties, member: "PropertiesChanged",
      body: [.string(interface), .properties(changed), .strings(invalidated)])
  }

  /// Runs what a call asks for. So many run at once; a peer that calls faster is told.
  func answer(_ message: IncomingMessage, wantsReply: Bool) {
    let caller = wantsReply ? message.header.replyAddress : nil
    if message.interface == StandardInterfaces.peer {
      return reply(Result { () throws(BusError) in try PeerMethods.answer(message) }, to: caller)
    }
    do throws(BusError) {
      let resolution = try CallResolution.resolve(message, in: objects)
      guard handlers.count < Self.mostHandlers, let path = message.path, let member = message.member else {
        throw BusError(.limitsExceeded, "\(handlers.count) calls are being answered")
      }
      let call = IncomingCall(
        sender: message.sender, path: path, interface: resolution.interface, member: member,
        body: try message.body(), arrival: message.arrival)
      run(resolution, call, caller)
    } catch {
      reply(.failure(error), to: caller)
    }
  }

  /// Answers a call that is longer than anything that is exported here takes. It has not been read.
  func refuseLong(_ header: MessageHeader, wantsReply: Bool) {
    let error = BusError(.limitsExceeded, "a call has at most \(FrameBuffer.usualMessage) octets here")
    reply(.failure(error), to: wantsReply ? header.replyAddress : nil)
  }

  private static let mostHandlers = 1024

  private func run(_ resolution: CallResolution, _ call: IncomingCall, _ caller: ReplyAddress?) {
    let ticket = nextTicket()
    // Nobody can wait where the call was read; the connection keeps the task, and cancels it at its end.
    handlers[ticket] = Task {
      let result: Result<[DBusValue], BusError>
      do throws(BusError) {
        let values = try await resolution.handler(call)
        guard values.map(\.signature) == resolution.results else {
          throw BusError(.failed, "\(call.member) returned (\(values.bodySignature))")
        }
        result = .success(values)
      } catch {
        result = .failure(error)
      }
      handlers[ticket] = nil
      reply(result, to: caller)
    }
  }

  /// A result that cannot be sent is replied as the error that it is. After the end there is nobody to reply
  /// to.
  private func reply(_ result: Result<[DBusValue], BusError>, to caller: ReplyAddress?) {
    guard let caller, let wire else { return }
    do throws(BusError) {
      _ = try wire.send(OutgoingMessage(returning: result.get(), to: caller))
    } catch {
      if let message = try? OutgoingMessage(failure: error, to: caller) { _ = wire.send(message) }
    }
  }
}
