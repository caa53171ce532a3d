import DBus

/// The objects of bluetoothd as the bus told them last: a pure reducer over ``TreeEvent``s.
///
/// It is fed by subscribing first, then taking a snapshot, then following (`BlueZSession`). Between the
/// subscription and the snapshot the two overlap, so an event may say what is known already, or concern an
/// object that is not there yet:
/// - an event about an unknown object makes no object, except *interfaces added*, which brings all its
///   properties;
/// - an adapter or device that goes takes along what lies below it, because bluetoothd does not always say so
///   for each;
/// - a snapshot replaces everything, and what differs is told as changes.
struct ObjectTree: Sendable {
  private(set) var objects: [ObjectPath: [String: Properties]] = [:]
  private(set) var typed = TypedObjects()

  /// - Returns: What changed, in an order in which it may be acted upon: what goes before what comes.
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

  /// The properties of an interface, or `nil` where the object has none of it.
  func properties(_ interface: String, at path: ObjectPath) -> Properties? { objects[path]?[interface] }

  /// The paths of objects that have an interface, in the order of their names.
  func paths(of interface: String) -> [ObjectPath] {
    objects.filter { $0.value[interface] != nil }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// The paths below `parent` that have an interface, in the order of their names.
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
    // The objects below an adapter, a device or a service do not outlive it.
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
      // A notification is an event. It is told even before the object is: bluetoothd subscribes anew for its
      // clients as soon as a link stands, which is before it tells of the services. As a property it would
      // only be kept for nobody.
      changes.append(.value(path, value))
    }
    if interface == BlueZInterface.device, changed["ServicesResolved"]?.asBool == true,
      changed["Connected"] == nil
    {
      // Where the attribute channel stands before the kernel tells of the link, bluetoothd 5.66 says nothing
      // of `Connected` ("already connected" in its log), and it is true all the same.
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
  /// Parents before children.
  fileprivate var inOrder: [(key: ObjectPath, value: [String: Properties])] {
    sorted { $0.key.rawValue < $1.key.rawValue }
  }

  /// Children before parents.
  fileprivate var inReverseOrder: [(key: ObjectPath, value: [String: Properties])] {
    sorted { $0.key.rawValue > $1.key.rawValue }
  }
}

extension Properties {
  fileprivate func names(differingFrom other: Properties) -> Set<String> {
    Set(keys).union(other.keys).filter { self[$0] != other[$0] }
  }
}
