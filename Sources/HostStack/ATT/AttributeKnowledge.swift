import Bluetooth

/// What was learnt of all peers: the conversations of links that exist, and the handles and names of peers
/// that were there.
struct AttributeKnowledge: Sendable {
  /// How many peers are remembered; a place with more loses the knowledge of all that are not connected.
  private static let capacity = 1024

  private(set) var maps: [BluetoothAddress: AttributeMap] = [:]
  private var names: [BluetoothAddress: String] = [:]
  private var exchanges: [AttributeExchange] = []
  private var hints = PlaceHints()

  @inline(__always)
  mutating func observe(
    _ pdu: RawSpan, on link: Link, isFromPeer: Bool, _ report: (HostEvent) -> Void
  ) {
    let place = place(of: link)
    if isFromPeer {
      exchanges[place].observePeer(pdu, report)
    } else {
      exchanges[place].observeHost(pdu, report)
    }
  }

  /// The link is gone; what its peer's handles are is kept.
  mutating func forget(_ link: Link) {
    guard let place = exchanges.firstIndex(where: { $0.link.id == link.id }) else { return }
    let exchange = exchanges.remove(at: place)
    guard let peer = exchange.link.peer else { return }
    if maps.count >= Self.capacity, maps[peer] == nil { maps.removeAll() }
    maps[peer] = exchange.map
  }

  mutating func abandonRequests() {
    for place in exchanges.indices { exchanges[place].abandonRequest() }
  }

  /// Reports a name that is new for its address.
  mutating func name(_ address: BluetoothAddress, _ name: String, _ report: (HostEvent) -> Void) {
    guard names[address] != name else { return }
    if names.count >= Self.capacity, names[address] == nil { names.removeAll() }
    names[address] = name
    report(.named(address, name))
  }

  @inline(__always)
  private mutating func place(of link: Link) -> Int {
    let hint = hints[UInt64(link.id)]
    if hint < exchanges.count, exchanges[hint].link.id == link.id { return hint }
    return find(link)
  }

  private mutating func find(_ link: Link) -> Int {
    if let place = exchanges.firstIndex(where: { $0.link.id == link.id }) {
      hints[UInt64(link.id)] = place
      return place
    }
    let known = link.peer.flatMap { maps[$0] }
    exchanges.append(AttributeExchange(link: link, map: known ?? AttributeMap()))
    return exchanges.count - 1
  }
}
