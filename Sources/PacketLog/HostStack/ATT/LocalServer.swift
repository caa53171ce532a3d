import Bluetooth

/// The server at this end of the links: of the host that recorded the log, or of a central on the air.
///
/// A log that a peripheral recorded holds what it sent. Its clients ask and are answered as anywhere else, so
/// the same conversation is followed with its sides exchanged. All clients are told of one set of attributes
/// and of the same values; therefore they are one link to whoever listens, and what one client was told
/// already is a repetition for the next.
struct LocalServer: Sendable {
  /// What is known of the host from elsewhere in the log.
  struct Identity {
    /// Tells the hosts of an observer apart.
    var key: UInt32
    var address: BluetoothAddress?
    var name: String?
  }

  private struct Client {
    let id: UInt32
    var exchange: AttributeExchange
  }

  /// While there are clients.
  private var link: Link?
  private var isAnnounced = false
  private var clients: [Client] = []
  private var map = AttributeMap()
  private var values = ServedValues()

  var hasClients: Bool { !clients.isEmpty }

  /// - Parameters:
  ///   - wholeLength: Of a PDU of which the log holds only the beginning.
  ///   - link: For the first of the clients: the one to report.
  mutating func observe(
    _ pdu: RawSpan, wholeLength: Int? = nil, client: Link, isFromServer: Bool, link newLink: () -> Link,
    _ report: (HostEvent) -> Void
  ) {
    let place = place(of: client, newLink)
    var events: [HostEvent] = []
    // One server has one set of attributes, whichever client asks.
    swap(&map, &clients[place].exchange.map)
    if let wholeLength {
      clients[place].exchange.observeBeginning(pdu, length: wholeLength) { events.append($0) }
    } else if isFromServer {
      clients[place].exchange.observeServer(pdu) { events.append($0) }
    } else {
      clients[place].exchange.observeClient(pdu) { events.append($0) }
    }
    swap(&map, &clients[place].exchange.map)
    for event in events { tell(event, client, report) }
  }

  /// A PDU between the server and a client is missing.
  ///
  /// - Returns: The link, if it was reported and the client is one of the server's.
  mutating func miss(_ client: Link) -> Link? {
    guard let place = clients.firstIndex(where: { $0.id == client.id }) else { return nil }
    clients[place].exchange.abandonRequest()
    return isAnnounced ? link : nil
  }

  mutating func abandonRequests() {
    for place in clients.indices { clients[place].exchange.abandonRequest() }
  }

  /// A client is gone.
  ///
  /// - Returns: The link, where it ended with that and had been reported.
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

  private mutating func tell(_ event: HostEvent, _ client: Link, _ report: (HostEvent) -> Void) {
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
