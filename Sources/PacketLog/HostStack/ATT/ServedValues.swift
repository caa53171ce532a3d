package import Bluetooth

/// Detects copies of a value, which a server with several clients sends to each of them.
///
/// Each client receives the same values in the same order, with a small delay between clients. So a value is
/// a copy if it is among the values that were sent to other clients since this client's last value.
package struct ServedValues: Sendable {
  private struct Value {
    var handle: UInt16
    var value: AttributeValue
  }

  /// Maximum number of values by which one client may lag behind another.
  private static let capacity = 16

  private var latest: [Value] = []
  /// The number of all values sent, including those no longer stored here.
  private var count = 0
  /// The position of each client: the number of values that were sent up to the last one that it received.
  private var places: [UInt32: Int] = [:]

  package init() {}

  /// Adds a client, which receives only later values.
  package mutating func join(_ client: UInt32) { places[client] = count }

  /// Removes a client. Copies that it has not received yet will not be sent.
  package mutating func leave(_ client: UInt32) {
    places[client] = nil
    for other in places.keys { places[other] = count }
  }

  package mutating func isNew(_ value: AttributeValue, of handle: UInt16, to client: UInt32) -> Bool {
    let first = count - latest.count
    let place = max(places[client] ?? count, first)
    let copy = latest[(place - first)...].firstIndex { $0.handle == handle && $0.value == value }
    if let copy {
      places[client] = first + copy + 1
      return false
    }
    if latest.count == Self.capacity { latest.removeFirst() }
    latest.append(Value(handle: handle, value: value))
    count += 1
    places[client] = count
    return true
  }
}
