public import Bluetooth

/// What is known of a server's attributes: which handle holds the value of which characteristic, and which
/// service a handle is of. Often a part of the truth: a log holds what its client asked for.
public struct AttributeMap: Hashable, Sendable {
  struct Value: Hashable, Sendable {
    var handle: UInt16
    var characteristic: BluetoothUUID
  }

  struct Service: Hashable, Sendable {
    var handles: ClosedRange<UInt16>
    var uuid: BluetoothUUID
  }

  /// No strap has as many; a log that declares more is hostile, and what it declares beyond is not
  /// remembered.
  private static let maximumValues = 1024
  private static let maximumServices = 256

  /// Handles of values, ascending, and their characteristics.
  private var values: [Value] = []
  private var services: [Service] = []
  private var configurations: Set<UInt16> = []

  /// The characteristic whose value a handle holds.
  public func characteristic(at handle: UInt16) -> BluetoothUUID? {
    let place = place(of: handle)
    guard place < values.count, values[place].handle == handle else { return nil }
    return values[place].characteristic
  }

  /// The service that a handle is of.
  public func service(at handle: UInt16) -> BluetoothUUID? {
    services.first { $0.handles.contains(handle) }?.uuid
  }

  /// The value that a Client Characteristic Configuration turns on: that of the nearest characteristic before
  /// it (Core Specification, Vol 3, Part G, §3.3.3).
  ///
  /// Only where nothing unknown can stand between: next to each other, or known as a configuration in a
  /// service that holds both.
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

  /// A service was found; what was known of others in its range is of the past.
  mutating func declare(service uuid: BluetoothUUID, at handles: ClosedRange<UInt16>) {
    services.removeAll { $0.handles.overlaps(handles) }
    guard services.count < Self.maximumServices else { return }
    services.append(Service(handles: handles, uuid: uuid))
  }

  /// The server has changed the attributes in this range.
  mutating func forget(_ range: ClosedRange<UInt16>) {
    forgetValues(in: range)
    services.removeAll { $0.handles.overlaps(range) }
    configurations = configurations.filter { !range.contains($0) }
  }

  /// The values in this range are being listed anew.
  mutating func forgetValues(in range: ClosedRange<UInt16>) { values.removeAll { range.contains($0.handle) } }

  /// A handle is known to be a Client Characteristic Configuration.
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
