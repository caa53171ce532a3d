import Bluetooth
import PacketLog

/// Whom a packet of the monitor channel concerns.
enum PacketConcern: Equatable {
  /// A link began, or could not; whoever its peer is.
  case connection(handle: UInt16, peer: BluetoothAddress, isSuccess: Bool)
  case disconnection(handle: UInt16)
  case link(handle: UInt16)
  case peer(BluetoothAddress)
  case advertisers([BluetoothAddress])
  /// The answer to a command.
  case answer(command: UInt16)
  /// The controller begins anew; each of its links has ended.
  case reset
  /// The controller itself, and no peer.
  case controller
  /// Appeared, vanished, was switched on or off.
  case presence
  /// Nobody who is recorded.
  case others

  init(_ message: MonitorMessage) {
    let packet = message.packet.span.bytes
    switch message.opcode {
    case MonitorOpcode.newIndex, MonitorOpcode.deleteIndex, MonitorOpcode.openIndex, MonitorOpcode.closeIndex:
      self = .presence
    case MonitorOpcode.indexInformation, MonitorOpcode.systemNote: self = .controller
    case MonitorOpcode.command: self = Self.command(packet)
    case MonitorOpcode.event: self = Self.event(packet)
    case MonitorOpcode.aclTransmit, MonitorOpcode.aclReceive:
      self = packet.uint16LE(at: 0).map { .link(handle: $0 & 0x0FFF) } ?? .others
    default: self = .others
    }
  }

  private static func command(_ packet: RawSpan) -> PacketConcern {
    guard let opcode = packet.uint16LE(at: 0) else { return .others }
    switch opcode {
    case HCICommandCode.reset: return .reset
    case HCICommandCode.readBDADDR: return .controller
    case HCICommandCode.leCreateConnection:
      // With the filter policy 1 it is for all who are in the accept list, and names nobody.
      return packet.uint8(at: 7) == 0 ? peer(packet, kindAt: 8) : .controller
    case HCICommandCode.leExtendedCreateConnection:
      return packet.uint8(at: 3) == 0 ? peer(packet, kindAt: 5) : .controller
    case _ where HCICommandCode.ofPeer.contains(opcode): return peer(packet, kindAt: 3)
    case _ where HCICommandCode.ofLink.contains(opcode):
      return packet.uint16LE(at: 3).map { .link(handle: $0 & 0x0FFF) } ?? .others
    default: return .others
    }
  }

  private static func event(_ packet: RawSpan) -> PacketConcern {
    let parameters = packet.extracting(droppingFirst: 2)
    switch packet.uint8(at: 0) {
    case HCIEventCode.disconnectionComplete:
      guard parameters.uint8(at: 0) == 0, let handle = parameters.uint16LE(at: 1) else { return .others }
      return .disconnection(handle: handle & 0x0FFF)
    case HCIEventCode.commandComplete: return answer(parameters.uint16LE(at: 1))
    case HCIEventCode.commandStatus: return answer(parameters.uint16LE(at: 2))
    case .some(let code) where HCIEventCode.ofLink.contains(code): return link(parameters, at: 1)
    case HCIEventCode.leMeta: return lowEnergy(parameters)
    default: return .others
    }
  }

  private static func lowEnergy(_ parameters: RawSpan) -> PacketConcern {
    switch parameters.uint8(at: 0) {
    case LESubevent.connectionComplete, LESubevent.enhancedConnectionComplete,
      LESubevent.enhancedConnectionCompleteV2:
      guard let connection = LEConnectionComplete(parameters) else { return .others }
      return .connection(
        handle: connection.handle, peer: connection.peer, isSuccess: connection.status == 0)
    case LESubevent.advertisingReport, LESubevent.extendedAdvertisingReport:
      var advertisers: [BluetoothAddress] = []
      AdvertisingReports.forEach(parameters) { address, _ in advertisers.append(address) }
      return .advertisers(advertisers)
    case .some(let subevent) where LESubevent.ofLinkWithStatus.contains(subevent):
      return link(parameters, at: 2)
    case .some(let subevent) where LESubevent.ofLink.contains(subevent): return link(parameters, at: 1)
    default: return .others
    }
  }

  private static func answer(_ command: UInt16?) -> PacketConcern {
    command.map { .answer(command: $0) } ?? .others
  }

  private static func link(_ bytes: RawSpan, at offset: Int) -> PacketConcern {
    bytes.uint16LE(at: offset).map { .link(handle: $0 & 0x0FFF) } ?? .others
  }

  private static func peer(_ packet: RawSpan, kindAt offset: Int) -> PacketConcern {
    guard let kind = packet.uint8(at: offset),
      // 2 and 3 are identities, public and random.
      let address = BluetoothAddress(
        littleEndian: packet, at: offset + 1, kind: kind & 1 == 0 ? .publicDevice : .random)
    else { return .others }
    return .peer(address)
  }
}
