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
  private var servers: [UInt32: LocalServer] = [:]
  /// More than there are links at a time, so that one of them has no clients.
  private static let serverCapacity = 129
  /// Apart from the numbers of links to peers.
  private var nextServerLink: UInt32

  /// - Parameter firstServerLink: With the highest bit, and apart from those of other observers.
  init(firstServerLink: UInt32 = 0x8000_0000) { nextServerLink = firstServerLink }

  /// - Parameter host: What is known of this end, in case its own server speaks.
  @inline(__always)
  mutating func observe(
    _ pdu: RawSpan, on link: Link, isFromPeer: Bool, host: @autoclosure () -> LocalServer.Identity,
    _ report: (HostEvent) -> Void
  ) {
    let isFromServer = pdu.uint8(at: 0).map(ATTOpcode.isServers) ?? isFromPeer
    guard isFromServer == isFromPeer else {
      return observeLocal(pdu, client: link, isFromServer: isFromServer, host(), report)
    }
    let place = place(of: link)
    if isFromServer {
      exchanges[place].observeServer(pdu, report)
    } else {
      exchanges[place].observeClient(pdu, report)
    }
  }

  /// Takes the beginning of a PDU of which the log does not hold the rest.
  ///
  /// - Parameters:
  ///   - pdu: At least the opcode.
  ///   - length: Of the whole PDU.
  mutating func observeBeginning(
    _ pdu: RawSpan, length: Int, on link: Link, isFromPeer: Bool,
    host: @autoclosure () -> LocalServer.Identity, _ report: (HostEvent) -> Void
  ) {
    let isFromServer = pdu.uint8(at: 0).map(ATTOpcode.isServers) ?? isFromPeer
    guard isFromServer == isFromPeer else {
      return observeLocal(pdu, wholeLength: length, client: link, isFromServer: isFromServer, host(), report)
    }
    exchanges[place(of: link)].observeBeginning(pdu, length: length, report)
  }

  /// A PDU of the link, which may have been a notification, is missing: what was asked is void, and the
  /// servers at both ends have lost a value.
  mutating func miss(on link: Link, _ report: (HostEvent) -> Void) {
    if let place = exchanges.firstIndex(where: { $0.link.id == link.id }) {
      exchanges[place].abandonRequest()
    }
    for key in servers.keys.sorted() {
      if let server = servers[key]?.miss(link) { report(.incomplete(server)) }
    }
    report(.incomplete(link))
  }

  private mutating func observeLocal(
    _ pdu: RawSpan, wholeLength: Int? = nil, client: Link, isFromServer: Bool,
    _ host: LocalServer.Identity, _ report: (HostEvent) -> Void
  ) {
    if servers[host.key] == nil, servers.count >= Self.serverCapacity,
      let idle = servers.first(where: { !$0.value.hasClients })
    {
      servers[idle.key] = nil
    }
    if let address = host.address, let name = host.name { self.name(address, name, report) }
    let link = Link(id: nextServerLink, peer: host.address, isLocal: true)
    var isUsed = false
    servers[host.key, default: LocalServer()].observe(
      pdu, wholeLength: wholeLength, client: client, isFromServer: isFromServer,
      link: {
        isUsed = true
        return link
      }, report)
    // Never a number below the first, however many there were.
    if isUsed { nextServerLink = (nextServerLink &+ 1) | 0x8000_0000 }
  }

  /// The link is gone; what its peer's handles are is kept. A local server that has no other client is gone
  /// with it.
  mutating func end(_ link: Link, reason: UInt8, _ report: (HostEvent) -> Void) {
    forget(link)
    for key in servers.keys {
      if let server = servers[key]?.forget(link) { report(.disconnected(server, reason: reason)) }
    }
  }

  /// What is known of this end is of the past.
  mutating func forgetServers() { servers.removeAll() }

  /// The link is gone, and nobody is to be told.
  mutating func forget(_ link: Link) {
    guard let place = exchanges.firstIndex(where: { $0.link.id == link.id }) else { return }
    let exchange = exchanges.remove(at: place)
    guard let peer = exchange.link.peer else { return }
    if maps.count >= Self.capacity, maps[peer] == nil { maps.removeAll() }
    maps[peer] = exchange.map
  }

  mutating func abandonRequests() {
    for place in exchanges.indices { exchanges[place].abandonRequest() }
    for key in servers.keys { servers[key]?.abandonRequests() }
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
