import Bluetooth
import PacketLog

/// The open links of each peer.
///
/// A log with several capture interfaces may contain the values of one strap more than once: two hosts are
/// connected to it, a sniffer has recorded the same link, or one host was recorded on two interfaces. The
/// central reports all of these as one connection, and each value once.
struct PeerLinks: Sendable {
  private var open: [BluetoothAddress: [UInt32]] = [:]
  /// The recent values of peers with several links.
  private var values: [BluetoothAddress: ServedValues] = [:]

  /// Adds a link.
  /// - Returns: Whether it is the peer's only link.
  mutating func connect(_ link: Link) -> Bool {
    guard let peer = link.peer else { return true }
    var links = open[peer, default: []]
    guard !links.contains(link.id) else { return false }
    links.append(link.id)
    open[peer] = links
    guard links.count > 1 else { return true }
    for id in links.suffix(links.count == 2 ? 2 : 1) { values[peer, default: ServedValues()].join(id) }
    return false
  }

  /// Removes a link.
  /// - Returns: Whether it was the peer's last link.
  mutating func disconnect(_ link: Link) -> Bool {
    guard let peer = link.peer else { return true }
    let links = open[peer, default: []].filter { $0 != link.id }
    open[peer] = links.isEmpty ? nil : links
    if links.count < 2 { values[peer] = nil } else { values[peer]?.leave(link.id) }
    return links.isEmpty
  }

  /// Returns whether the value is new, and not a copy that another link of the peer has already delivered.
  @inline(__always)
  mutating func isNew(_ value: AttributeValue, of handle: UInt16, on link: Link) -> Bool {
    guard !values.isEmpty, let peer = link.peer else { return true }
    return values[peer]?.isNew(value, of: handle, to: link.id) ?? true
  }
}

/// The advertised names of peripherals, which are reported when a peripheral connects.
///
/// Their number is limited, because a crowded place has thousands of advertisers with changing addresses, and
/// almost none of them connect.
struct AdvertisedNames: Sendable {
  /// Maximum number of advertised names before the table is cleared.
  private static let capacity = 4096

  private var names: [BluetoothAddress: String] = [:]

  mutating func remember(_ name: String, of address: BluetoothAddress) {
    if names.count >= Self.capacity, names[address] == nil { names.removeAll() }
    names[address] = name
  }

  func name(of address: BluetoothAddress) -> String? { names[address] }
}
