public import Bluetooth

/// The known attributes of a server: the characteristic of each value handle, and the services.
///
/// The map is often incomplete, because a log contains only the attributes that the client requested.
///
/// ```swift
/// if let map = observer.map(for: peer), map.characteristic(at: 0x0012) == .heartRateMeasurement {
///   print("0x0012 is the handle of the heart rate")
/// }
/// ```
public struct AttributeMap: Hashable, Sendable {
  struct Value: Hashable, Sendable {
    var handle: UInt16
    var characteristic: BluetoothUUID
  }

  struct Service: Hashable, Sendable {
    var handles: ClosedRange<UInt16>
    var uuid: BluetoothUUID
  }

  /// Maximum numbers of remembered attributes. Straps have fewer, but a manipulated log could declare any
  /// number.
  private static let maximumValues = 1024
  private static let maximumServices = 256

  /// Value handles in ascending order, with their characteristics.
  private var values: [Value] = []
  private var services: [Service] = []
  private var configurations: Set<UInt16> = []

  /// Returns the characteristic whose value has this handle.
  public func characteristic(at handle: UInt16) -> BluetoothUUID? {
    let place = place(of: handle)
    guard place < values.count, values[place].handle == handle else { return nil }
    return values[place].characteristic
  }

  /// Returns the service that contains this handle.
  public func service(at handle: UInt16) -> BluetoothUUID? {
    services.first { $0.handles.contains(handle) }?.uuid
  }

  /// Returns the value to which a Client Characteristic Configuration belongs: that of the nearest preceding
  /// characteristic (Core Specification, Vol 3, Part G, §3.3.3).
  ///
  /// Returns `nil` if there may be an unknown characteristic in between. There cannot be one if the two
  /// handles are adjacent, or if the configuration is known and a service contains both.
  func value(configuredAt handle: UInt16) -> Value? {
    let place = place(of: handle)
    guard place > 0, place == values.count || values[place].handle != handle else { return nil }
    let nearest = values[place - 1]
    if handle - nearest.handle == 1 { return nearest }
    let service = services.first { $0.handles.contains(handle) }
    guard configurations.contains(handle), let service, service.handles.contains(nearest.handle) else {
      return nil
    }
    return nearest
  }

  mutating func declare(_ characteristic: BluetoothUUID, at handle: UInt16) {
    let place = place(of: handle)
    if place < values.count, values[place].handle == handle {
      values[place].characteristic = characteristic
    } else if values.count < Self.maximumValues {
      values.insert(Value(handle: handle, characteristic: characteristic), at: place)
    }
  }

  /// Adds a service and removes earlier services that overlap it.
  mutating func declare(service uuid: BluetoothUUID, at handles: ClosedRange<UInt16>) {
    services.removeAll { $0.handles.overlaps(handles) }
    guard services.count < Self.maximumServices else { return }
    services.append(Service(handles: handles, uuid: uuid))
  }

  /// Forgets the attributes in a range, because the server has changed them.
  mutating func forget(_ range: ClosedRange<UInt16>) {
    forgetValues(in: range)
    services.removeAll { $0.handles.overlaps(range) }
    configurations = configurations.filter { !range.contains($0) }
  }

  /// Forgets the values in a range, because a response lists them again.
  mutating func forgetValues(in range: ClosedRange<UInt16>) { values.removeAll { range.contains($0.handle) } }

  /// Records that a handle is a Client Characteristic Configuration.
  mutating func markConfiguration(_ handle: UInt16) {
    if configurations.count < Self.maximumValues { configurations.insert(handle) }
  }

  private func place(of handle: UInt16) -> Int {
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low + high) / 2
      if values[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
