import Bluetooth

/// Which values a server with several clients sends for the first time.
///
/// Each client is sent the same values in the same order, a little sooner or later than the others. So a
/// value is a copy where it is among those that were sent after the last one of this client.
struct ServedValues: Sendable {
  private struct Value {
    var handle: UInt16
    var value: AttributeValue
  }

  /// How many values one client may lag behind another.
  private static let capacity = 16

  private var latest: [Value] = []
  /// How many values were sent, those that are no longer remembered included.
  private var count = 0
  /// How many of them each client has.
  private var places: [UInt32: Int] = [:]

  /// From here on a client is sent what is new.
  mutating func join(_ client: UInt32) { places[client] = count }

  /// A client that lagged behind the one that is gone did so for no other reason than that.
  mutating func leave(_ client: UInt32) {
    places[client] = nil
    for other in places.keys { places[other] = count }
  }

  mutating func isNew(_ value: AttributeValue, of handle: UInt16, to client: UInt32) -> Bool {
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
