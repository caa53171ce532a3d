import DBus

/// Decoding of a status from D-Bus messages.
extension GatewayStatus {
  /// Applies a signal.
  ///
  /// - Returns: Whether it changed this gateway's status.
  mutating func apply(_ signal: BusMessage) -> Bool {
    switch signal.member {
    case "PropertiesChanged": applyChange(signal)
    case "InterfacesAdded": applyArrival(signal)
    case "InterfacesRemoved": applyRemoval(signal)
    default: false
    }
  }

  private mutating func applyChange(_ signal: BusMessage) -> Bool {
    guard signal.body.count == 3, let interface = signal.body[0].asString,
      let changed = signal.body[1].asProperties, let gone = signal.body[2].asStrings
    else { return false }
    switch interface {
    case GatewayBusNames.gatewayInterface where signal.path == GatewayBusNames.root:
      take(changed, Self.properties)
      forget(gone, Self.properties)
    case GatewayBusNames.monitorInterface:
      guard let place = place(of: signal.path) else { return false }
      monitors[place].take(changed, MonitorStatus.properties)
      monitors[place].forget(gone, MonitorStatus.properties)
    default: return false
    }
    return true
  }

  private mutating func applyArrival(_ signal: BusMessage) -> Bool {
    guard signal.path == GatewayBusNames.root, signal.body.count == 2,
      let monitor = MonitorStatus(interfaces: signal.body[1])
    else { return false }
    insert(monitor)
    return true
  }

  private mutating func applyRemoval(_ signal: BusMessage) -> Bool {
    guard signal.path == GatewayBusNames.root, let path = signal.body.first?.asObjectPath,
      let place = place(of: path)
    else { return false }
    monitors.remove(at: place)
    return true
  }

  private func place(of path: ObjectPath) -> Int? {
    monitors.firstIndex { GatewayBusNames.path(ofMonitor: $0.address) == path }
  }

  /// Inserts a monitor in order of address, replacing one with the same address.
  mutating func insert(_ monitor: MonitorStatus) {
    monitors.removeAll { $0.address == monitor.address }
    let place = monitors.firstIndex { $0.address > monitor.address } ?? monitors.endIndex
    monitors.insert(monitor, at: place)
  }
}

extension MonitorStatus {
  /// Decodes a monitor.
  ///
  /// - Parameter interfaces: The interfaces of an object with their properties.
  init?(interfaces: DBusValue) {
    let name = DBusValue.string(GatewayBusNames.monitorInterface)
    guard let values = interfaces.asDictionary?[name]?.asProperties, values["Address"] != nil else {
      return nil
    }
    self.init(address: "")
    take(values, Self.properties)
  }
}

extension BusStatus {
  mutating func take(_ values: [String: DBusValue], _ properties: [StatusProperty<Self>]) {
    for property in properties {
      if let value = values[property.name] { property.take(value, &self) }
    }
  }

  mutating func forget(_ names: [String], _ properties: [StatusProperty<Self>]) {
    for property in properties where names.contains(property.name) { property.forget(&self) }
  }
}
