import DBus

/// A connection to the bus, as a conversation with bluetoothd.
struct BlueZSession: Sendable {
  /// bluetoothd answers for its objects at once, where it answers at all; a machine that has just started has
  /// other things to do.
  static let patience = Duration.seconds(25)

  let connection: BusConnection
  /// How long bluetoothd may take to tell its objects.
  var patience = Self.patience
  /// How many signals may wait for whoever follows.
  var capacity = 65_536

  /// What is subscribed to: three rules for everything, since the bus limits how many a client may have, and
  /// matches each message against each. Not less of it, although most changes of devices are of no use: what
  /// bluetoothd sends and no rule lets in counts as a dealing with somebody else (`SenderPlace`), each of
  /// which ends what is known about copies (`DuplicateFilter`).
  private static let rules = [
    MatchRule(sender: BlueZInterface.service, interface: BlueZInterface.objectManager),
    MatchRule(
      sender: BlueZInterface.service, pathNamespace: "/org/bluez", interface: BlueZInterface.properties,
      member: "PropertiesChanged"),
    MatchRule(
      sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      argument0: BlueZInterface.service),
  ]

  /// What is done with an event; it arrived with a message, or is concluded from an answer of the bus.
  typealias Listener = (TreeEvent, Arrival?) async -> Void

  /// Tells everything that bluetoothd says, in order, until the connection ends: a snapshot first, where it
  /// is there.
  ///
  /// The subscription comes before the snapshot, so that nothing falls between the two. What was signalled
  /// before the snapshot was answered is in the snapshot already and is not told again; notifications are,
  /// for they are events.
  ///
  /// - Parameter values: Called on the connection's loop, instead of `tell`, for values of characteristics
  ///   that are received while `tell` is not running.
  /// - Throws: ``BusError`` where the bus refuses the subscription.
  func listen(
    isolation: isolated (any Actor)? = #isolation,
    values: (@Sendable (ObjectPath, [UInt8], Arrival) -> Void)? = nil, _ tell: Listener
  ) async throws {
    let handler = values.map {
      SignalSequence.BytesHandler(
        interface: BlueZInterface.gattCharacteristic, property: "Value", handle: $0)
    }
    let signals = try await connection.signals(matching: Self.rules, capacity: capacity)
    var owner = try await connection.nameOwner(BlueZInterface.service)
    if owner == nil { await tell(.daemonVanished, nil) }
    var snapshot = owner == nil ? nil : try await tellSnapshot(tell)
    var events = signals.makeAsyncIterator()
    // Without a snapshot nothing is told.
    while let event = await events.next(handler: snapshot == nil ? nil : handler) {
      switch event {
      case .lost:
        await tell(.signalsLost, nil)
        // The end of bluetoothd, and its next life, may be among what was lost.
        let present = try await connection.nameOwner(BlueZInterface.service)
        if present == nil || present != owner { await tell(.daemonVanished, nil) }
        owner = present
        snapshot = present == nil ? nil : try await tellSnapshot(tell)
      case .signal(let signal):
        if let newOwner = signal.newOwner {
          owner = newOwner.isEmpty ? nil : newOwner
          // A new owner without a word of the old one's end is a new daemon all the same.
          await tell(.daemonVanished, signal.arrival)
          snapshot = owner == nil ? nil : try await tellSnapshot(tell)
        } else if let snapshot, let event = TreeEvent(signal) {
          let event = signal.arrival < snapshot ? event.notificationOnly : event
          if let event { await tell(event, signal.arrival) }
        }
      }
    }
  }

  /// - Returns: `nil` where bluetoothd went instead of answering; the bus says so next.
  /// - Throws: ``BusError`` where it may not be asked, or does not answer at all.
  private func tellSnapshot(
    isolation: isolated (any Actor)? = #isolation, _ tell: Listener
  ) async throws -> Arrival? {
    do throws(BusError) {
      let reply = try await connection.call(Self.getManagedObjects, timeout: patience)
      guard let objects = reply.managedObjects else { return nil }
      await tell(.snapshot(objects), reply.arrival)
      return reply.arrival
    } catch {
      if BlueZError(error).meaning == .daemonAbsent || error.name == .noReply { return nil }
      throw error
    }
  }

  private static let getManagedObjects = MethodCall(
    destination: BlueZInterface.service, path: .root, interface: BlueZInterface.objectManager,
    member: "GetManagedObjects", body: [])

  /// All objects, as they are now.
  func snapshot() async throws(BlueZError) -> ObjectTree {
    let reply: Reply
    do throws(BusError) {
      reply = try await connection.call(Self.getManagedObjects, timeout: patience)
    } catch {
      throw BlueZError(error)
    }
    var tree = ObjectTree()
    _ = tree.apply(.snapshot(reply.managedObjects ?? [:]))
    return tree
  }

  func perform(_ call: BlueZCall) async -> BlueZAnswer {
    do throws(BusError) {
      let reply = try await connection.call(call.message, timeout: call.timeout)
      return reply.body.first?.asBytes.map(BlueZAnswer.value) ?? .done
    } catch {
      return .failed(BlueZError(error))
    }
  }

  /// Gives something back to bluetoothd, also for a task that is cancelled: no call of such a task is sent,
  /// let alone waited for, but a message without a reply is, and the end of the connection flushes it.
  func release(_ call: BlueZCall) async {
    guard case .failed(let error) = await perform(call), error.name == BusError.Name.cancelled.rawValue else {
      return
    }
    // Where it had been sent before the task was cancelled, the second time does no harm. Where the
    // connection is gone, bluetoothd knows that too, and what belonged to the connection is gone with it.
    try? await connection.send(call.message)
  }
}

extension BusMessage {
  /// Of NameOwnerChanged: the unique name of the new owner, empty where there is none.
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
  /// `a{sa{sv}}`.
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
  /// - Returns: `nil` for a signal that says nothing of objects, or not in the form that it should have.
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

  /// The event without what a snapshot knows better.
  fileprivate var notificationOnly: TreeEvent? {
    guard case .propertiesChanged(let path, BlueZInterface.gattCharacteristic, let changed, _) = self,
      let value = changed["Value"]
    else { return nil }
    return .propertiesChanged(
      path, interface: BlueZInterface.gattCharacteristic, changed: ["Value": value], invalidated: [])
  }
}
