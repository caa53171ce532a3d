import Bluetooth
import PacketLog

/// The subject of a message on the monitor channel.
enum PacketSubject: Equatable {
  /// A connection to any peer was made or failed.
  case connection(handle: UInt16, peer: BluetoothAddress, isSuccess: Bool)
  case disconnection(handle: UInt16)
  case link(handle: UInt16)
  case peer(BluetoothAddress)
  case advertisers([BluetoothAddress])
  /// A controller's response to a command.
  case answer(command: UInt16)
  /// The controller was reset, which ends its connections.
  case reset
  /// The controller itself, not a peer.
  case controller
  /// A controller was added, removed, opened or closed.
  case presence
  /// Any other message, which is not recorded.
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

  private static func command(_ packet: RawSpan) -> PacketSubject {
    guard let opcode = packet.uint16LE(at: 0) else { return .others }
    switch opcode {
    case HCICommandCode.reset: return .reset
    case HCICommandCode.readBDADDR: return .controller
    case HCICommandCode.leCreateConnection:
      // With filter policy 1, the command connects to any device on the accept list and does not contain an
      // address.
      return packet.uint8(at: 7) == 0 ? peer(packet, kindAt: 8) : .controller
    case HCICommandCode.leExtendedCreateConnection:
      return packet.uint8(at: 3) == 0 ? peer(packet, kindAt: 5) : .controller
    case _ where HCICommandCode.ofPeer.contains(opcode): return peer(packet, kindAt: 3)
    case _ where HCICommandCode.ofLink.contains(opcode):
      return packet.uint16LE(at: 3).map { .link(handle: $0 & 0x0FFF) } ?? .others
    default: return .others
    }
  }

  private static func event(_ packet: RawSpan) -> PacketSubject {
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

  private static func lowEnergy(_ parameters: RawSpan) -> PacketSubject {
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

  private static func answer(_ command: UInt16?) -> PacketSubject {
    command.map { .answer(command: $0) } ?? .others
  }

  private static func link(_ bytes: RawSpan, at offset: Int) -> PacketSubject {
    bytes.uint16LE(at: offset).map { .link(handle: $0 & 0x0FFF) } ?? .others
  }

  private static func peer(_ packet: RawSpan, kindAt offset: Int) -> PacketSubject {
    guard let kind = packet.uint8(at: offset),
      // Address types 2 and 3 are identity addresses, public and random.
      let address = BluetoothAddress(
        littleEndian: packet, at: offset + 1, kind: kind & 1 == 0 ? .publicDevice : .random)
    else { return .others }
    return .peer(address)
  }
}

// The codes of commands and events that contain a connection handle or an address (Core Specification, Vol 4,
// Part E, §7.1, §7.7, §7.8).

extension HCICommandCode {
  static let leExtendedCreateConnection: UInt16 = 0x2043

  /// Commands whose parameters start with a connection handle: Disconnect, Read Remote Version Information,
  /// Read RSSI, LE Connection Update, LE Read Remote Features, LE Enable Encryption, the replies to requests
  /// for a key and for connection parameters, LE Set Data Length, LE Read PHY, LE Set PHY.
  static let ofLink: Set<UInt16> = [
    0x0406, 0x041D, 0x1405, 0x2013, 0x2016, 0x2019, 0x201A, 0x201B, 0x2020, 0x2021, 0x2022, 0x2030, 0x2032,
  ]

  /// Commands whose parameters start with an address type and an address: adding to and removing from the
  /// accept list and the resolving list.
  static let ofPeer: Set<UInt16> = [0x2011, 0x2012, 0x2027, 0x2028]
}

extension HCIEventCode {
  /// Events with a status and a connection handle: Encryption Change in both versions, Read Remote Version
  /// Information Complete, Encryption Key Refresh Complete.
  static let ofLink: Set<UInt8> = [0x08, 0x0C, 0x30, 0x59]
}

extension LESubevent {
  /// Subevents with a status and a connection handle: Connection Update Complete, Read Remote Features
  /// Complete, PHY Update Complete.
  static let ofLinkWithStatus: Set<UInt8> = [0x03, 0x04, 0x0C]
  /// Subevents with a connection handle: Long Term Key Request, Remote Connection Parameter Request, Data
  /// Length Change.
  static let ofLink: Set<UInt8> = [0x05, 0x06, 0x07]
}
