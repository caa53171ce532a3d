import Bluetooth

/// The attribute server at the local end of the links: the recording host's or, in a sniffer's log, the
/// central's.
///
/// If the recording host is a peripheral, its log contains the values that its own server sent. They are
/// handled like those of a remote server, with the two sides swapped. All clients receive the same attributes
/// and values, so they are reported as one link. A value that another client has already received is reported
/// as `repeated`.
struct LocalServer: Sendable {
  /// Identifies a recording host, as far as the log describes it.
  struct Identity {
    /// A number that distinguishes the hosts in a log.
    var key: UInt32
    var address: BluetoothAddress?
    var name: String?
  }

  private struct Client {
    let id: UInt32
    var exchange: AttributeExchange
  }

  /// The link that represents all clients; `nil` while there are none.
  private var link: Link?
  private var isAnnounced = false
  private var clients: [Client] = []
  private var map = AttributeMap()
  private var values = ServedValues()

  var hasClients: Bool { !clients.isEmpty }

  /// Handles one PDU between the server and a client.
  ///
  /// - Parameters:
  ///   - wholeLength: The length of the whole PDU if the log contains only its beginning; otherwise `nil`.
  ///   - newLink: Creates the link that is reported when the first client appears.
  mutating func observe(
    _ pdu: RawSpan, wholeLength: Int? = nil, client: Link, isFromServer: Bool, link newLink: () -> Link,
    _ report: (HostEvent) -> Void
  ) {
    let place = place(of: client, newLink)
    var events: [HostEvent] = []
    // All clients of a server see the same attributes.
    swap(&map, &clients[place].exchange.map)
    if let wholeLength {
      clients[place].exchange.observeBeginning(pdu, length: wholeLength) { events.append($0) }
    } else if isFromServer {
      clients[place].exchange.observeServer(pdu) { events.append($0) }
    } else {
      clients[place].exchange.observeClient(pdu) { events.append($0) }
    }
    swap(&map, &clients[place].exchange.map)
    for event in events { pass(event, client, report) }
  }

  /// Handles a PDU that is missing from the log. It was sent between a client and a local server, which may
  /// be this one.
  ///
  /// - Returns: The server's link, if it was reported and the client belongs to this server.
  mutating func miss(_ client: Link) -> Link? {
    guard let place = clients.firstIndex(where: { $0.id == client.id }) else { return nil }
    clients[place].exchange.abandonRequest()
    return isAnnounced ? link : nil
  }

  mutating func abandonRequests() {
    for place in clients.indices { clients[place].exchange.abandonRequest() }
  }

  /// Removes a client.
  ///
  /// - Returns: The server's link, if this was its last client and the link was reported.
  mutating func forget(_ client: Link) -> Link? {
    guard let place = clients.firstIndex(where: { $0.id == client.id }) else { return nil }
    clients.remove(at: place)
    values.leave(client.id)
    guard clients.isEmpty else { return nil }
    defer {
      link = nil
      isAnnounced = false
    }
    return isAnnounced ? link : nil
  }

  private mutating func place(of client: Link, _ newLink: () -> Link) -> Int {
    if let place = clients.firstIndex(where: { $0.id == client.id }) { return place }
    let link = self.link ?? newLink()
    self.link = link
    clients.append(Client(id: client.id, exchange: AttributeExchange(link: link, map: AttributeMap())))
    values.join(client.id)
    return clients.count - 1
  }

  private mutating func pass(_ event: HostEvent, _ client: Link, _ report: (HostEvent) -> Void) {
    if !isAnnounced, let link {
      isAnnounced = true
      report(.connected(link))
    }
    switch event {
    case .subscribed:
      values.join(client.id)
      report(event)
    case .notified(let link, let handle, let characteristic, let value):
      let isNew = values.isNew(value, of: handle, to: client.id)
      report(isNew ? event : .repeated(link, handle: handle, characteristic: characteristic))
    case .notifiedInPart(let link, let handle, let characteristic, let value, _):
      let isNew = values.isNew(value, of: handle, to: client.id)
      report(isNew ? event : .repeated(link, handle: handle, characteristic: characteristic))
    default:
      report(event)
    }
  }
}
