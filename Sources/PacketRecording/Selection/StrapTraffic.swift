import Bluetooth
import PacketLog

/// Selects the messages about certain straps, and those about controllers, which a replay needs too.
///
/// It does not access the kernel itself: the caller passes a function for that.
struct StrapTraffic {
  /// Asks the kernel for the peer of a connection. Returns the 48 bits of its identity address.
  typealias PeerRequest = (_ controller: UInt16, _ handle: UInt16) -> UInt64?

  private struct Place: Hashable {
    var controller: UInt16
    var handle: UInt16
  }

  private struct KnownLink {
    enum Owner {
      /// It is not known yet whose connection this is. The kernel is asked when the connection's next packet
      /// arrives, because it knows the peer by then.
      case open
      case strap
      case stranger
    }

    /// The controller's connection event; `nil` if the connection is older than the recording.
    var beginning: MonitorMessage?
    var peer: BluetoothAddress?
    var owner = Owner.open
    /// The peer in the connection event that was written to the log; `nil` if none was written.
    var recordedPeer: BluetoothAddress?
    /// Whether the connection was not recorded from its start, so that its connection event is written with a
    /// later time.
    var isLate = false
  }

  private struct Command: Hashable {
    var controller: UInt16
    var opcode: UInt16
  }

  private(set) var straps: Set<BluetoothAddress>
  private var links: [Place: KnownLink] = [:]
  /// Recorded commands that were not answered yet. Their responses are recorded too.
  private var unanswered: Set<Command> = []

  init(straps: Set<BluetoothAddress>) { self.straps = straps }

  /// Replaces the set of straps. Open connections are checked again, because they may be to new straps.
  mutating func record(_ straps: Set<BluetoothAddress>) {
    guard straps != self.straps else { return }
    self.straps = straps
    for place in links.keys {
      links[place]?.owner = .open
      links[place]?.isLate = true
    }
  }

  /// Handles a loss of messages. A connection may have ended, and another may have started with the same
  /// handle, so the kernel is asked again for each connection.
  mutating func loseMessages() {
    for place in links.keys {
      links[place]?.beginning = nil
      links[place]?.peer = nil
      links[place]?.owner = .open
    }
    unanswered.removeAll()
  }

  /// Returns the messages to record when `message` arrives.
  /// - Returns: The message itself, or nothing. If the log does not contain the connection event yet, that
  ///   event comes first.
  mutating func select(_ message: MonitorMessage, asking question: PeerRequest) -> [MonitorMessage] {
    let controller = message.controller
    switch PacketSubject(message) {
    case .presence:
      // NEW_INDEX and OPEN_INDEX also come at the start of a recording, for controllers that already have
      // connections, so they do not end connections.
      if [MonitorOpcode.deleteIndex, MonitorOpcode.closeIndex].contains(message.opcode) {
        forget(controller)
      }
      return [message]
    case .controller: return noting(message)
    case .reset:
      forget(controller)
      return noting(message)
    case .answer(let command):
      return unanswered.remove(Command(controller: controller, opcode: command)) == nil ? [] : [message]
    case .peer(let peer): return straps.contains(peer) ? noting(message) : []
    case .advertisers(let advertisers):
      // Omit a report if it also contains advertisements of other devices.
      return !advertisers.isEmpty && straps.isSuperset(of: advertisers) ? [message] : []
    case .connection(_, let peer, isSuccess: false): return straps.contains(peer) ? [message] : []
    case .connection(let handle, let peer, isSuccess: true):
      return begin(Place(controller: controller, handle: handle), with: peer, message)
    case .link(let handle):
      let beginning = beginning(Place(controller: controller, handle: handle), at: message, question)
      return beginning.map { $0 + noting(message) } ?? []
    case .disconnection(let handle):
      let place = Place(controller: controller, handle: handle)
      // The kernel no longer knows the connection. So if its peer is still unknown, the end is not recorded.
      let isRecorded = links.removeValue(forKey: place)?.recordedPeer != nil
      return isRecorded ? [message] : []
    case .others: return []
    }
  }

  private mutating func begin(
    _ place: Place, with peer: BluetoothAddress, _ message: MonitorMessage
  ) -> [MonitorMessage] {
    var link = KnownLink(beginning: message, peer: peer)
    if straps.contains(peer) {
      link.owner = .strap
      link.recordedPeer = peer
    } else if peer.subtype != .resolvablePrivate {
      link.owner = .stranger
    }
    links[place] = link
    return link.recordedPeer == nil ? [] : [message]
  }

  /// Returns the messages to record before a packet of a connection; `nil` if the connection is not recorded.
  private mutating func beginning(
    _ place: Place, at message: MonitorMessage, _ question: PeerRequest
  ) -> [MonitorMessage]? {
    var link = links[place] ?? KnownLink()
    defer { links[place] = link }
    var identity = link.peer.flatMap { straps.contains($0) ? $0 : nil }
    if link.owner == .open {
      identity =
        identity
        ?? question(place.controller, place.handle).flatMap { bits in
          straps.first { $0.bits == bits }
        }
      link.owner = identity == nil ? .stranger : .strap
    }
    guard link.owner == .strap else { return nil }
    guard let identity, identity != link.recordedPeer else { return [] }
    link.recordedPeer = identity
    return LinkBeginning.messages(
      place.handle, with: identity, controllerEvent: link.beginning,
      at: link.isLate ? message.time : link.beginning?.time ?? message.time, controller: place.controller)
  }

  /// Remembers a command, so that its response is recorded too.
  private mutating func noting(_ message: MonitorMessage) -> [MonitorMessage] {
    if message.opcode == MonitorOpcode.command, let opcode = message.packet.span.bytes.uint16LE(at: 0) {
      unanswered.insert(Command(controller: message.controller, opcode: opcode))
    }
    return [message]
  }

  private mutating func forget(_ controller: UInt16) {
    links = links.filter { $0.key.controller != controller }
    unanswered = unanswered.filter { $0.controller != controller }
  }
}
