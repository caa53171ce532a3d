import Bluetooth

/// The links of all controllers at this moment, found by controller and connection handle.
struct LinkTable: Sendable {
  /// More at a time than any host has; a log that claims more is hostile, and each may hold two frames of 64
  /// KiB.
  static let capacity = 128

  private var states: [LinkState] = []
  private var nextID: UInt32 = 1
  private var hints = PlaceHints()

  subscript(place: Int) -> LinkState {
    @inline(__always) get { states[place] }
    @inline(__always) _modify { yield &states[place] }
  }

  /// Where a link is; one that the log has not seen begin is added with no known peer.
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

  /// The peer of a link that stands, where it is known.
  func peer(_ controller: UInt16, _ handle: UInt16) -> BluetoothAddress? {
    let key = LinkState.key(controller, handle)
    return states.first { $0.key == key }?.link.peer
  }

  /// The places of all links of a controller.
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

  /// A BR/EDR connection: its traffic is no attribute protocol of a low-energy peer.
  mutating func addClassic(_ controller: UInt16, _ handle: UInt16) {
    guard let place = place(controller, handle) else { return }
    states[place].isClassic = true
  }

  /// - Returns: The link that ended, where it was known to anyone.
  mutating func remove(_ controller: UInt16, _ handle: UInt16) -> Link? {
    let key = LinkState.key(controller, handle)
    guard let place = states.firstIndex(where: { $0.key == key }) else { return nil }
    let state = states.remove(at: place)
    return state.isAnnounced ? state.link : nil
  }

  /// The same, by its peer.
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
