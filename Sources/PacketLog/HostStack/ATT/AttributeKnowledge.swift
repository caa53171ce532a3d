import Bluetooth

/// The attributes of all peers: the complete state for open links, the handles and names for earlier peers.
struct AttributeKnowledge: Sendable {
  /// Maximum number of remembered peers. When it is exceeded, all peers without a link are forgotten.
  private static let capacity = 1024

  private(set) var maps: [BluetoothAddress: AttributeMap] = [:]
  private var names: [BluetoothAddress: String] = [:]
  private var exchanges: [AttributeExchange] = []
  private var hints = IndexHints()
  private var servers: [UInt32: LocalServer] = [:]
  /// Maximum number of local servers. It exceeds the maximum number of links, so at least one server has no
  /// clients and can be removed.
  private static let serverCapacity = 129
  /// The next number for a link to a local server. Links to peers use other numbers.
  private var nextServerLink: UInt32

  /// - Parameter firstServerLink: The first number for links to local servers. Its highest bit must be set.
  ///   Each observer must use different numbers.
  init(firstServerLink: UInt32 = 0x8000_0000) { nextServerLink = firstServerLink }

  /// Handles one attribute PDU.
  ///
  /// - Parameter host: Identifies the recording host. It is used for values that the host's own server sends.
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

  /// Handles a PDU that is truncated in the log.
  ///
  /// - Parameters:
  ///   - pdu: At least the opcode.
  ///   - length: The length of the whole PDU in bytes.
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

  /// Handles a PDU that is missing from the log.
  ///
  /// It may have been the response to the pending request, so the request is forgotten. It may have been a
  /// notification, so the event `incomplete` is reported for the servers at both ends.
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
    // Keep the highest bit set if the counter overflows: numbers of links to peers do not have it.
    if isUsed { nextServerLink = (nextServerLink &+ 1) | 0x8000_0000 }
  }

  /// Ends a link, remembering the handles of its peer. A local server without other clients is removed.
  mutating func end(_ link: Link, reason: UInt8, _ report: (HostEvent) -> Void) {
    forget(link)
    for key in servers.keys {
      if let server = servers[key]?.forget(link) { report(.disconnected(server, reason: reason)) }
    }
  }

  /// Forgets the local servers.
  mutating func forgetServers() { servers.removeAll() }

  /// Forgets a link without reporting it.
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

  /// Reports the name of an address if it is not known yet.
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
