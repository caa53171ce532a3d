package import Bluetooth

/// Detects values that a server with several clients sends again.
///
/// Each client receives the same values in the same order, with a small delay between clients. A value is
/// therefore a copy if it is among the values sent since this client's last one.
package struct ServedValues: Sendable {
  private struct Value {
    var handle: UInt16
    var value: AttributeValue
  }

  /// Maximum number of values by which one client may lag behind another.
  private static let capacity = 16

  private var latest: [Value] = []
  /// Total number of values sent, including those that are no longer remembered.
  private var count = 0
  /// The number of values that each client has received.
  private var places: [UInt32: Int] = [:]

  package init() {}

  /// Adds a client, which receives values from now on.
  package mutating func join(_ client: UInt32) { places[client] = count }

  /// Removes a client. Any copies that it has not received will not arrive.
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
