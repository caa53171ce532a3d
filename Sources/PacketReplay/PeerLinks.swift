import Bluetooth
import PacketLog

/// The open links of each peer.
///
/// A log with several interfaces may hold one strap's values several times: two hosts are connected to it, a
/// sniffer recorded the same link, or one host was recorded on two interfaces. To the central these are one
/// connection, and each value is reported once.
struct PeerLinks: Sendable {
  private var open: [BluetoothAddress: [UInt32]] = [:]
  /// Of peers with several links.
  private var values: [BluetoothAddress: ServedValues] = [:]

  /// Adds a link.
  ///
  /// - Returns: Whether its peer has no other.
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
  ///
  /// - Returns: Whether its peer has no other.
  mutating func disconnect(_ link: Link) -> Bool {
    guard let peer = link.peer else { return true }
    let links = open[peer, default: []].filter { $0 != link.id }
    open[peer] = links.isEmpty ? nil : links
    if links.count < 2 { values[peer] = nil } else { values[peer]?.leave(link.id) }
    return links.isEmpty
  }

  /// Whether no other link of the peer has brought the value already.
  @inline(__always)
  mutating func isNew(_ value: AttributeValue, of handle: UInt16, on link: Link) -> Bool {
    guard !values.isEmpty, let peer = link.peer else { return true }
    return values[peer]?.isNew(value, of: handle, to: link.id) ?? true
  }
}
