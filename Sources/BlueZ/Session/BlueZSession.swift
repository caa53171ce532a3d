import DBus

/// Sends calls to bluetoothd and receives its signals, over one bus connection.
struct BlueZSession: Sendable {
  /// Default timeout of the call GetManagedObjects. bluetoothd answers it immediately, except on a machine
  /// that has just started.
  static let timeout = Duration.seconds(25)

  let connection: BusConnection
  /// Timeout of the call GetManagedObjects.
  var timeout = Self.timeout
  /// Maximum number of pending signals.
  var capacity = 65_536

  /// The match rules. There are only three, because the bus limits their number and compares every message
  /// with each rule. They also match many signals that are not needed: narrower rules would hide messages. A
  /// hidden message looks like a message to another client (``SenderPosition/responses``), and after each of
  /// those, `DuplicateFilter` has to determine the number of copies again.
  private static let rules = [
    MatchRule(sender: BlueZInterface.service, interface: BlueZInterface.objectManager),
    MatchRule(
      sender: BlueZInterface.service, pathNamespace: "/org/bluez", interface: BlueZInterface.properties,
      member: "PropertiesChanged"),
    MatchRule(
      sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      argument0: BlueZInterface.service),
  ]

  /// Handles an event. The arrival is that of the event's message; `nil` if the event was inferred from a
  /// reply of the bus daemon.
  typealias Listener = (TreeEvent, Arrival?) async -> Void

  /// Calls `emit` with all changes of bluetoothd's objects, in order, until the connection ends. If
  /// bluetoothd is running, the first event is a snapshot.
  ///
  /// The match rules are added before the snapshot is requested, so that no change is missed. Signals that
  /// arrived before the snapshot are skipped, because the snapshot contains their changes. Notifications are
  /// not skipped.
  ///
  /// - Parameter values: Called instead of `emit` for a characteristic's value, on the connection's event
  ///   loop, while `emit` is not running.
  /// - Throws: ``BusError`` if the bus rejects the subscription.
  func listen(
    isolation: isolated (any Actor)? = #isolation,
    values: (@Sendable (ObjectPath, [UInt8], Arrival) -> Void)? = nil, _ emit: Listener
  ) async throws {
    let handler = values.map {
      SignalSequence.BytesHandler(
        interface: BlueZInterface.gattCharacteristic, property: "Value", handle: $0)
    }
    let signals = try await connection.signals(matching: Self.rules, capacity: capacity)
    var owner = try await connection.nameOwner(BlueZInterface.service)
    if owner == nil { await emit(.daemonVanished, nil) }
    var snapshot = owner == nil ? nil : try await emitSnapshot(emit)
    var events = signals.makeAsyncIterator()
    // Before there is a snapshot, no signal is reported.
    while let event = await events.next(handler: snapshot == nil ? nil : handler) {
      switch event {
      case .lost:
        await emit(.signalsLost, nil)
        // The lost signals may include the one reporting that bluetoothd has ended or restarted.
        let present = try await connection.nameOwner(BlueZInterface.service)
        if present == nil || present != owner { await emit(.daemonVanished, nil) }
        owner = present
        snapshot = present == nil ? nil : try await emitSnapshot(emit)
      case .signal(let signal):
        if let newOwner = signal.newOwner {
          owner = newOwner.isEmpty ? nil : newOwner
          // A new owner is a new bluetoothd, even without a signal for the end of the old one.
          await emit(.daemonVanished, signal.arrival)
          snapshot = owner == nil ? nil : try await emitSnapshot(emit)
        } else if let snapshot, let event = TreeEvent(signal) {
          let event = signal.arrival < snapshot ? event.notificationOnly : event
          if let event { await emit(event, signal.arrival) }
        }
      }
    }
  }

  /// - Returns: `nil` if bluetoothd ended before its reply, which the bus daemon signals next.
  /// - Throws: ``BusError`` if the call is not permitted or times out.
  private func emitSnapshot(
    isolation: isolated (any Actor)? = #isolation, _ emit: Listener
  ) async throws -> Arrival? {
    do throws(BusError) {
      let reply = try await connection.call(Self.getManagedObjects, timeout: timeout)
      guard let objects = reply.managedObjects else { return nil }
      await emit(.snapshot(objects), reply.arrival)
      return reply.arrival
    } catch {
      if BlueZError(error).meaning == .daemonAbsent || error.name == .noReply { return nil }
      throw error
    }
  }

  private static let getManagedObjects = MethodCall(
    destination: BlueZInterface.service, path: .root, interface: BlueZInterface.objectManager,
    member: "GetManagedObjects", body: [])

  /// Returns the current objects.
  func snapshot() async throws(BlueZError) -> ObjectTree {
    let reply: Reply
    do throws(BusError) {
      reply = try await connection.call(Self.getManagedObjects, timeout: timeout)
    } catch {
      throw BlueZError(error)
    }
    var tree = ObjectTree()
    _ = tree.apply(.snapshot(reply.managedObjects ?? [:]))
    return tree
  }

  func perform(_ call: BlueZCall) async -> BlueZReply {
    do throws(BusError) {
      let reply = try await connection.call(call.message, timeout: call.timeout)
      return reply.body.first?.asBytes.map(BlueZReply.value) ?? .done
    } catch {
      return .failed(BlueZError(error))
    }
  }

  /// Sends a call that ends a subscription or other state in bluetoothd, even in a canceled task. Such a task
  /// cannot make a call, but it can send a message without a reply, which closing the connection flushes.
  func release(_ call: BlueZCall) async {
    guard case .failed(let error) = await perform(call), error.name == BusError.Name.cancelled.rawValue else {
      return
    }
    // If the call was already sent before the cancellation, a second one does no harm. If the connection is
    // lost, bluetoothd has released the state.
    try? await connection.send(call.message)
  }
}

extension BusMessage {
  /// The new owner's unique name in NameOwnerChanged; empty if there is no owner.
  fileprivate var newOwner: String? {
    guard member == "NameOwnerChanged", body.count == 3 else { return nil }
    return body[2].asString
  }
}

extension Reply {
  fileprivate var managedObjects: [ObjectPath: [String: Properties]]? {
    guard let dictionary = body.first?.asDictionary else { return nil }
    var objects: [ObjectPath: [String: Properties]] = [:]
    for (path, interfaces) in dictionary {
      if let path = path.asObjectPath, let interfaces = interfaces.asInterfaces { objects[path] = interfaces }
    }
    return objects
  }
}

extension DBusValue {
  /// The interfaces of an object with their properties (D-Bus signature `a{sa{sv}}`).
  fileprivate var asInterfaces: [String: Properties]? {
    guard let dictionary = asDictionary else { return nil }
    var interfaces: [String: Properties] = [:]
    for (name, properties) in dictionary {
      if let name = name.asString, let properties = properties.asProperties { interfaces[name] = properties }
    }
    return interfaces
  }
}

extension TreeEvent {
  /// - Returns: `nil` for a signal of another interface, or with arguments of the wrong type.
  init?(_ signal: BusMessage) {
    switch (signal.interface, signal.member) {
    case (BlueZInterface.objectManager, "InterfacesAdded"):
      guard signal.body.count == 2, let path = signal.body[0].asObjectPath,
        let interfaces = signal.body[1].asInterfaces
      else { return nil }
      self = .interfacesAdded(path, interfaces)
    case (BlueZInterface.objectManager, "InterfacesRemoved"):
      guard signal.body.count == 2, let path = signal.body[0].asObjectPath,
        let interfaces = signal.body[1].asStrings
      else { return nil }
      self = .interfacesRemoved(path, interfaces)
    case (BlueZInterface.properties, "PropertiesChanged"):
      guard signal.body.count == 3, let interface = signal.body[0].asString,
        let changed = signal.body[1].asProperties
      else { return nil }
      self = .propertiesChanged(
        signal.path, interface: interface, changed: changed, invalidated: signal.body[2].asStrings ?? [])
    default:
      return nil
    }
  }

  /// Only the notification in this event; `nil` if the event has no notification. The snapshot already has
  /// newer values of the other properties.
  fileprivate var notificationOnly: TreeEvent? {
    guard case .propertiesChanged(let path, BlueZInterface.gattCharacteristic, let changed, _) = self,
      let value = changed["Value"]
    else { return nil }
    return .propertiesChanged(
      path, interface: BlueZInterface.gattCharacteristic, changed: ["Value": value], invalidated: [])
  }
}
