import Bluetooth
import PacketLog

/// Chooses from all that a host exchanges with its controllers what concerns some straps, and what a replay
/// needs to make sense of that: which controllers there are, and when each began anew.
///
/// Decides, and does nothing: the kernel is asked by whoever calls.
struct StrapTraffic {
  /// Asks the kernel who is at the other end of a link: the bits of its identity.
  typealias PeerQuestion = (_ controller: UInt16, _ handle: UInt16) -> UInt64?

  private struct Place: Hashable {
    var controller: UInt16
    var handle: UInt16
  }

  private struct KnownLink {
    enum Owner {
      /// It is asked for when something of the link comes, for then the kernel has seen its beginning.
      case open
      case strap
      case stranger
    }

    /// What the controller told of its beginning; `nil` where the link stood before the recording.
    var beginning: MonitorMessage?
    var peer: BluetoothAddress?
    var owner = Owner.open
    /// With whom the log has its beginning; `nil` where it has not.
    var told: BluetoothAddress?
    /// It was a stranger's first, so that its beginning is of another time.
    var isLate = false
  }

  private struct Command: Hashable {
    var controller: UInt16
    var opcode: UInt16
  }

  private(set) var straps: Set<BluetoothAddress>
  private var links: [Place: KnownLink] = [:]
  /// Those whose answers are recorded too.
  private var unanswered: Set<Command> = []

  init(straps: Set<BluetoothAddress>) { self.straps = straps }

  /// Other straps are recorded from now on; a link that stands may be one of theirs.
  mutating func record(_ straps: Set<BluetoothAddress>) {
    guard straps != self.straps else { return }
    self.straps = straps
    for place in links.keys {
      links[place]?.owner = .open
      links[place]?.isLate = true
    }
  }

  /// Messages were lost. The end of a link may be among them, and the beginning of another by its handle: the
  /// kernel is asked for each anew.
  mutating func loseMessages() {
    for place in links.keys {
      links[place]?.beginning = nil
      links[place]?.peer = nil
      links[place]?.owner = .open
    }
    unanswered.removeAll()
  }

  /// - Returns: What is recorded at this message: itself or nothing, and before it the beginning of its link
  ///   where the log does not have it yet.
  mutating func select(_ message: MonitorMessage, asking question: PeerQuestion) -> [MonitorMessage] {
    let controller = message.controller
    switch PacketConcern(message) {
    case .presence:
      // NEW_INDEX and OPEN_INDEX come at the beginning for controllers whose links stand.
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
      // A report that names a stranger too is left out.
      return !advertisers.isEmpty && straps.isSuperset(of: advertisers) ? [message] : []
    case .connection(_, let peer, isSuccess: false): return straps.contains(peer) ? [message] : []
    case .connection(let handle, let peer, isSuccess: true):
      return begin(Place(controller: controller, handle: handle), with: peer, message)
    case .link(let handle):
      let beginning = beginning(Place(controller: controller, handle: handle), at: message, question)
      return beginning.map { $0 + noting(message) } ?? []
    case .disconnection(let handle):
      let place = Place(controller: controller, handle: handle)
      // The kernel has nothing to say of it any more: what was undecided stays out.
      let isRecorded = links.removeValue(forKey: place)?.told != nil
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
      link.told = peer
    } else if peer.subtype != .resolvablePrivate {
      link.owner = .stranger
    }
    links[place] = link
    return link.told == nil ? [] : [message]
  }

  /// - Returns: What the log needs before a packet of the link; `nil` for a stranger's, whose packets are
  ///   left out.
  private mutating func beginning(
    _ place: Place, at message: MonitorMessage, _ question: PeerQuestion
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
    guard let identity, identity != link.told else { return [] }
    link.told = identity
    return LinkBeginning.messages(
      place.handle, with: identity, told: link.beginning,
      at: link.isLate ? message.time : link.beginning?.time ?? message.time, controller: place.controller)
  }

  /// Its answer is recorded too.
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
