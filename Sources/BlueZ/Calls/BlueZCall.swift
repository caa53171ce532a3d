import DBus

/// A D-Bus call to bluetoothd, as a value. ``FollowingMachine`` and ``BlueZHost`` create calls, and
/// ``BlueZSession`` sends them. Only `GetManagedObjects` is not a case: ``BlueZSession`` calls it itself,
/// because its reply is a snapshot of all objects.
enum BlueZCall: Hashable, Sendable {
  case connect(device: ObjectPath)
  case disconnect(device: ObjectPath)
  case setTrusted(device: ObjectPath, Bool)
  case pair(device: ObjectPath)
  case cancelPairing(device: ObjectPath)
  case removeDevice(adapter: ObjectPath, device: ObjectPath)
  case setDiscoveryFilter(adapter: ObjectPath, DiscoveryFilter)
  case startDiscovery(adapter: ObjectPath)
  case stopDiscovery(adapter: ObjectPath)
  case startNotify(characteristic: ObjectPath)
  case stopNotify(characteristic: ObjectPath)
  case readValue(characteristic: ObjectPath)
  case writeValue(characteristic: ObjectPath, [UInt8])
  case registerAgent(path: ObjectPath, capability: String)
  case requestDefaultAgent(path: ObjectPath)
  case unregisterAgent(path: ObjectPath)
  case registerApplication(adapter: ObjectPath, root: ObjectPath)
  /// org.freedesktop.DBus.Peer.Ping. It has no effect except the reply.
  case ping

  /// How long to wait for the reply.
  ///
  /// libdbus's default of 25 s is too short for Connect, which bluetoothd ends only after up to 41 s, and for
  /// Pair, which waits for the user. The gateway cancels connection attempts earlier
  /// (``FollowingPolicy/connectAttempt``).
  var timeout: Duration {
    switch self {
    case .connect: .seconds(60)
    case .pair: .seconds(120)
    // bluetoothd waits 2 s before it closes a link.
    case .disconnect, .cancelPairing, .removeDevice: .seconds(10)
    case .setTrusted, .setDiscoveryFilter, .stopDiscovery, .registerAgent, .requestDefaultAgent,
      .unregisterAgent, .registerApplication:
      .seconds(10)
    // If another client stops its discovery at the same time, bluetoothd 5.66 starts this discovery but never
    // replies. So this timeout is short.
    case .startDiscovery: .seconds(5)
    // A reply shows that bluetoothd's main loop is running.
    case .ping: .seconds(3)
    // These calls wait for the peripheral. The timeout is shorter than 30 s, the time after which bluetoothd
    // drops the link of a peripheral that does not answer.
    case .startNotify, .stopNotify, .readValue, .writeValue: .seconds(10)
    }
  }

  var message: MethodCall {
    switch self {
    case .connect(let device): method(device, BlueZInterface.device, "Connect")
    case .disconnect(let device): method(device, BlueZInterface.device, "Disconnect")
    case .setTrusted(let device, let isTrusted):
      method(
        device, BlueZInterface.properties, "Set",
        [.string(BlueZInterface.device), .string("Trusted"), .variant(.boolean(isTrusted))])
    case .pair(let device): method(device, BlueZInterface.device, "Pair")
    case .cancelPairing(let device): method(device, BlueZInterface.device, "CancelPairing")
    case .removeDevice(let adapter, let device):
      method(adapter, BlueZInterface.adapter, "RemoveDevice", [.objectPath(device)])
    case .setDiscoveryFilter(let adapter, let filter):
      method(adapter, BlueZInterface.adapter, "SetDiscoveryFilter", [.properties(filter.properties)])
    case .startDiscovery(let adapter): method(adapter, BlueZInterface.adapter, "StartDiscovery")
    case .stopDiscovery(let adapter): method(adapter, BlueZInterface.adapter, "StopDiscovery")
    case .startNotify(let path): method(path, BlueZInterface.gattCharacteristic, "StartNotify")
    case .stopNotify(let path): method(path, BlueZInterface.gattCharacteristic, "StopNotify")
    case .readValue(let path):
      method(path, BlueZInterface.gattCharacteristic, "ReadValue", [.properties([:])])
    case .writeValue(let path, let bytes):
      method(
        path, BlueZInterface.gattCharacteristic, "WriteValue",
        [.bytes(bytes), .properties(["type": .string("request")])])
    case .registerAgent(let path, let capability):
      method(
        "/org/bluez", BlueZInterface.agentManager, "RegisterAgent", [.objectPath(path), .string(capability)])
    case .requestDefaultAgent(let path):
      method("/org/bluez", BlueZInterface.agentManager, "RequestDefaultAgent", [.objectPath(path)])
    case .unregisterAgent(let path):
      method("/org/bluez", BlueZInterface.agentManager, "UnregisterAgent", [.objectPath(path)])
    case .registerApplication(let adapter, let root):
      method(
        adapter, BlueZInterface.gattManager, "RegisterApplication", [.objectPath(root), .properties([:])])
    case .ping: method("/", BlueZInterface.peer, "Ping")
    }
  }

  private func method(
    _ path: ObjectPath, _ interface: String, _ member: String, _ body: [DBusValue] = []
  ) -> MethodCall {
    MethodCall(
      destination: BlueZInterface.service, path: path, interface: interface, member: member, body: body)
  }
}

/// The result of a call.
enum BlueZReply: Sendable {
  case done
  case value([UInt8])
  case failed(BlueZError)
}
