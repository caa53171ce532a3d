import DBus

/// A copy of bluetoothd's D-Bus objects and their properties, updated with ``TreeEvent``s.
///
/// `BlueZSession` adds its match rules first, then takes a snapshot, then applies signals. Signals from
/// before the snapshot may repeat known state or concern unknown objects, so:
/// - Only InterfacesAdded, which contains all properties, creates an object. Other events about an unknown
///   object are ignored.
/// - If an adapter or device is removed, the objects below it are removed too, because bluetoothd does not
///   always report each of them.
/// - A snapshot replaces everything. Only the differences are returned as changes.
struct ObjectTree: Sendable {
  private(set) var objects: [ObjectPath: [String: Properties]] = [:]
  private(set) var typed = TypedObjects()

  /// - Returns: The resulting changes, in the order in which to handle them: removals before additions.
  mutating func apply(_ event: TreeEvent) -> [TreeChange] {
    let changes = reduce(event)
    for change in changes {
      switch change {
      case .added(let path, let interface), .removed(let path, let interface),
        .changed(let path, let interface, _):
        typed.update(interface, at: path, to: objects[path]?[interface])
      case .value: break
      }
    }
    return changes
  }

  private mutating func reduce(_ event: TreeEvent) -> [TreeChange] {
    switch event {
    case .snapshot(let objects): replace(with: objects)
    case .interfacesAdded(let path, let interfaces): add(interfaces, at: path)
    case .interfacesRemoved(let path, let interfaces): remove(interfaces, at: path)
    case .propertiesChanged(let path, let interface, let changed, let invalidated):
      change(path, interface, changed, invalidated)
    case .daemonVanished: replace(with: [:])
    case .signalsLost: []
    }
  }

  /// Returns the properties of an interface; `nil` if the object does not have it.
  func properties(_ interface: String, at path: ObjectPath) -> Properties? { objects[path]?[interface] }

  /// Returns the paths of objects with an interface, sorted.
  func paths(of interface: String) -> [ObjectPath] {
    objects.filter { $0.value[interface] != nil }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// Returns the paths below `parent` that have an interface, sorted.
  func paths(of interface: String, below parent: ObjectPath) -> [ObjectPath] {
    paths(of: interface).filter { $0 != parent && $0.hasPrefix(parent) }
  }

  // MARK: - Steps

  private mutating func replace(with others: [ObjectPath: [String: Properties]]) -> [TreeChange] {
    var changes: [TreeChange] = []
    for (path, interfaces) in objects.inReverseOrder {
      let remaining = others[path] ?? [:]
      for interface in interfaces.keys.sorted() where remaining[interface] == nil {
        changes.append(.removed(path, interface: interface))
      }
    }
    for (path, interfaces) in others.inOrder {
      for (interface, properties) in interfaces.sorted(by: { $0.key < $1.key }) {
        if let before = objects[path]?[interface] {
          let names = before.names(differingFrom: properties)
          if !names.isEmpty { changes.append(.changed(path, interface: interface, names: names)) }
        } else {
          changes.append(.added(path, interface: interface))
        }
      }
    }
    objects = others
    return changes
  }

  private mutating func add(_ interfaces: [String: Properties], at path: ObjectPath) -> [TreeChange] {
    var changes: [TreeChange] = []
    for (interface, properties) in interfaces.sorted(by: { $0.key < $1.key }) {
      if let before = objects[path]?[interface] {
        changes.append(
          .changed(path, interface: interface, names: before.names(differingFrom: properties)))
      } else {
        changes.append(.added(path, interface: interface))
      }
      objects[path, default: [:]][interface] = properties
    }
    return changes
  }

  private mutating func remove(_ interfaces: [String], at path: ObjectPath) -> [TreeChange] {
    var changes: [TreeChange] = []
    // If an adapter, a device or a service is removed, remove the objects below it too.
    if interfaces.contains(where: BlueZInterface.withChildren.contains) {
      for (below, has) in objects.inReverseOrder where below != path && below.hasPrefix(path) {
        changes += has.keys.sorted().map { .removed(below, interface: $0) }
        objects[below] = nil
      }
    }
    for interface in interfaces where objects[path]?.removeValue(forKey: interface) != nil {
      changes.append(.removed(path, interface: interface))
    }
    if objects[path]?.isEmpty == true { objects[path] = nil }
    return changes
  }

  private mutating func change(
    _ path: ObjectPath, _ interface: String, _ changed: Properties, _ invalidated: [String]
  ) -> [TreeChange] {
    var changes: [TreeChange] = []
    var changed = changed
    if interface == BlueZInterface.gattCharacteristic,
      let value = changed.removeValue(forKey: "Value")?.asBytes
    {
      // Pass on a notification even if its characteristic is unknown: once there is a link, bluetoothd
      // re-enables its clients' subscriptions before it reports the services.
      changes.append(.value(path, value))
    }
    if interface == BlueZInterface.device, changed["ServicesResolved"]?.asBool == true,
      changed["Connected"] == nil
    {
      // If the attribute channel opens before the kernel reports the link, bluetoothd 5.66 resolves the
      // services but does not signal `Connected` (its log says "already connected").
      changed["Connected"] = .boolean(true)
    }
    guard objects[path]?[interface] != nil, !changed.isEmpty || !invalidated.isEmpty else { return changes }
    objects[path]?[interface]?.merge(changed) { $1 }
    for name in invalidated { objects[path]?[interface]?[name] = nil }
    changes.append(.changed(path, interface: interface, names: Set(changed.keys).union(invalidated)))
    return changes
  }
}

extension BlueZInterface {
  fileprivate static let withChildren: Set<String> = [adapter, device, gattService, gattCharacteristic]
}

extension [ObjectPath: [String: Properties]] {
  /// Sorted so that parents come before children.
  fileprivate var inOrder: [(key: ObjectPath, value: [String: Properties])] {
    sorted { $0.key.rawValue < $1.key.rawValue }
  }

  /// Sorted so that children come before parents.
  fileprivate var inReverseOrder: [(key: ObjectPath, value: [String: Properties])] {
    sorted { $0.key.rawValue > $1.key.rawValue }
  }
}

extension Properties {
  fileprivate func names(differingFrom other: Properties) -> Set<String> {
    Set(keys).union(other.keys).filter { self[$0] != other[$0] }
  }
}

/// The names of D-Bus interfaces that hrgate uses (BlueZ, `doc/org.bluez.*.rst`).
enum BlueZInterface {
  static let service = "org.bluez"

  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  static let gattDescriptor = "org.bluez.GattDescriptor1"
  static let battery = "org.bluez.Battery1"
  static let agent = "org.bluez.Agent1"
  static let agentManager = "org.bluez.AgentManager1"
  static let gattManager = "org.bluez.GattManager1"
  static let gattProfile = "org.bluez.GattProfile1"

  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"
  static let peer = "org.freedesktop.DBus.Peer"
}
