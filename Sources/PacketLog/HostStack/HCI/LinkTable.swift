import Bluetooth

/// The current connections of all controllers, by controller and connection handle.
struct LinkTable: Sendable {
  /// Maximum number of links. No host has this many, but a manipulated log may claim more, and each link may
  /// need two buffers of 64 KiB.
  static let capacity = 128

  private var states: [LinkState] = []
  private var nextID: UInt32 = 1
  private var hints = IndexHints()

  subscript(place: Int) -> LinkState {
    @inline(__always) get { states[place] }
    @inline(__always) _modify { yield &states[place] }
  }

  /// Returns the index of a link. If the log does not contain the link's start, it is added without a peer.
  @inline(__always)
  mutating func place(_ controller: UInt16, _ handle: UInt16) -> Int? {
    let key = LinkState.key(controller, handle)
    let hint = hints[UInt64(key)]
    if hint < states.count, states[hint].key == key { return hint }
    return find(key)
  }

  private mutating func find(_ key: UInt32) -> Int? {
    if let place = states.firstIndex(where: { $0.key == key }) {
      hints[UInt64(key)] = place
      return place
    }
    guard states.count < Self.capacity else { return nil }
    states.append(LinkState(key: key, link: newLink(nil)))
    return states.count - 1
  }

  /// Returns the peer of an open link, if known.
  func peer(_ controller: UInt16, _ handle: UInt16) -> BluetoothAddress? {
    let key = LinkState.key(controller, handle)
    return states.first { $0.key == key }?.link.peer
  }

  /// Returns the indices of all links of a controller.
  func places(of controller: UInt16) -> [Int] {
    states.indices.filter { UInt16(states[$0].key >> 16) == controller }
  }

  mutating func add(_ controller: UInt16, _ connection: LEConnectionComplete) -> Link? {
    guard states.count < Self.capacity else { return nil }
    let link = newLink(connection.peer)
    states.append(
      LinkState(
        key: LinkState.key(controller, connection.handle), link: link, role: connection.role,
        isAnnounced: true))
    return link
  }

  /// Adds a BR/EDR link. Its packets are not decoded.
  mutating func addClassic(_ controller: UInt16, _ handle: UInt16) {
    guard let place = place(controller, handle) else { return }
    states[place].isClassic = true
  }

  /// Removes a link by its handle.
  ///
  /// - Returns: The link if it was reported, otherwise `nil`.
  mutating func remove(_ controller: UInt16, _ handle: UInt16) -> Link? {
    let key = LinkState.key(controller, handle)
    guard let place = states.firstIndex(where: { $0.key == key }) else { return nil }
    let state = states.remove(at: place)
    return state.isAnnounced ? state.link : nil
  }

  /// Removes a link by its peer.
  ///
  /// - Returns: The link if there is one, otherwise `nil`.
  mutating func remove(_ controller: UInt16, to peer: BluetoothAddress) -> Link? {
    let place = states.firstIndex { UInt16($0.key >> 16) == controller && $0.link.peer == peer }
    return place.map { states.remove(at: $0).link }
  }

  mutating func removeOldestIfFull() -> LinkState? {
    states.count < Self.capacity ? nil : states.removeFirst()
  }

  mutating func removeAll(of controller: UInt16? = nil) -> [Link] {
    let isGone = { (state: LinkState) in controller == nil || UInt16(state.key >> 16) == controller }
    let gone = states.filter(isGone).filter(\.isAnnounced).map(\.link)
    states.removeAll(where: isGone)
    return gone
  }

  mutating func abandonFrames() {
    for place in states.indices { states[place].abandonFrames() }
  }

  private mutating func newLink(_ peer: BluetoothAddress?) -> Link {
    defer { nextID &+= 1 }
    return Link(id: nextID, peer: peer)
  }
}
