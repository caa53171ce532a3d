package import Bluetooth

/// Tells which values a server with several clients sends for the first time.
///
/// Each client gets the same values in the same order, a little sooner or later than the others. So a value is
/// a copy if it is among those that were sent after the last one of this client.
package struct ServedValues: Sendable {
  private struct Value {
    var handle: UInt16
    var value: AttributeValue
  }

  /// Maximum number of values by which one client may lag behind another.
  private static let capacity = 16

  private var latest: [Value] = []
  /// How many values were sent, those that are no longer remembered included.
  private var count = 0
  /// How many of them each client has.
  private var places: [UInt32: Int] = [:]

  package init() {}

  /// Adds a client, which gets the values from here on.
  package mutating func join(_ client: UInt32) { places[client] = count }

  /// Removes a client. A client that lagged behind it has no more copies to come.
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
