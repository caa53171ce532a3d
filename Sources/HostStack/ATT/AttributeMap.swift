public import Bluetooth

/// What is known of a server's attributes: which handle holds the value of which characteristic.
public struct AttributeMap: Hashable, Sendable {
  /// Handles of values, ascending, and their characteristics.
  private var values: [(handle: UInt16, characteristic: BluetoothUUID)] = []
  private var configurations: Set<UInt16> = []

  /// The characteristic whose value a handle holds.
  public func characteristic(at handle: UInt16) -> BluetoothUUID? {
    let place = place(of: handle)
    guard place < values.count, values[place].handle == handle else { return nil }
    return values[place].characteristic
  }

  /// The value that a Client Characteristic Configuration descriptor turns on: that of the nearest characteristic before it.
  public func value(configuredAt handle: UInt16) -> (handle: UInt16, characteristic: BluetoothUUID)? {
    let place = place(of: handle)
    guard place > 0, place == values.count || values[place].handle != handle else { return nil }
    return values[place - 1]
  }

  mutating func declare(_ characteristic: BluetoothUUID, at handle: UInt16) {
    let place = place(of: handle)
    if place < values.count, values[place].handle == handle {
      values[place].characteristic = characteristic
    } else {
      values.insert((handle, characteristic), at: place)
    }
  }

  /// The server has changed the attributes in this range.
  mutating func forget(_ range: ClosedRange<UInt16>) {
    values.removeAll { range.contains($0.handle) }
    configurations = configurations.filter { !range.contains($0) }
  }

  /// A handle is known to be a Client Characteristic Configuration.
  mutating func markConfiguration(_ handle: UInt16) { configurations.insert(handle) }

  func isConfiguration(_ handle: UInt16) -> Bool { configurations.contains(handle) }

  private func place(of handle: UInt16) -> Int {
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low + high) / 2
      if values[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.values.elementsEqual(rhs.values) { $0 == $1 } && lhs.configurations == rhs.configurations
  }

  public func hash(into hasher: inout Hasher) {
    for value in values { hasher.combine(value.handle) }
  }
}
