import Bluetooth

@testable import PacketLog

/// An observer with manual input, and its reported events.
struct HostTraffic {
  var observer = HCIObserver()
  var events: [HostEvent] = []

  /// Returns the events since the last call.
  mutating func drainEvents() -> [HostEvent] {
    defer { events = [] }
    return events
  }

  mutating func observe(
    _ type: HCIPacketType, _ direction: HCIDirection?, controller: UInt16 = 0, _ bytes: [UInt8]
  ) {
    var reported: [HostEvent] = []
    observer.observe(bytes.span.bytes, type: type, direction: direction, controller: controller) {
      reported.append($0)
    }
    events += reported
  }

  mutating func event(controller: UInt16 = 0, _ bytes: [UInt8]) {
    observe(.event, .controllerToHost, controller: controller, bytes)
  }

  mutating func connect(_ handle: UInt16 = 0x40, to peer: BluetoothAddress = .strap, controller: UInt16 = 0) {
    event(
      controller: controller,
      HCIEventPacket.leConnectionComplete(
        handle: handle, peer: peer, interval: 24, supervisionTimeout: 42))
  }

  mutating func disconnect(_ handle: UInt16 = 0x40, reason: UInt8 = 0x13, controller: UInt16 = 0) {
    event(controller: controller, HCIEventPacket.disconnectionComplete(handle: handle, reason: reason))
  }

  /// Sends an attribute PDU of the host.
  mutating func host(_ pdu: [UInt8], on handle: UInt16 = 0x40, controller: UInt16 = 0) {
    observe(
      .aclData, .hostToController, controller: controller,
      ACLPacket.attribute(pdu, on: handle, .hostToController))
  }

  /// Sends an attribute PDU of the peer.
  mutating func peer(_ pdu: [UInt8], on handle: UInt16 = 0x40, controller: UInt16 = 0) {
    observe(
      .aclData, .controllerToHost, controller: controller,
      ACLPacket.attribute(pdu, on: handle, .controllerToHost))
  }

  /// Declares Heart Rate Measurement at handle 0x0011, with its value at 0x0012.
  mutating func declareMeasurement() {
    host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
    if case .declared? = events.last { events.removeLast() }
  }

  mutating func notify(_ handle: UInt16 = 0x12, _ value: [UInt8] = [0x06, 60], on link: UInt16 = 0x40) {
    peer([0x1B, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + value, on: link)
  }
}

extension BluetoothAddress {
  static let strap = BluetoothAddress(bits: 0xC011_2233_4455, kind: .random)
  static let other = BluetoothAddress(bits: 0x0011_2233_4466, kind: .publicDevice)
}

extension HostEvent {
  /// The characteristic of a notification.
  var notified: BluetoothUUID? {
    if case .notified(_, _, let characteristic, _) = self { characteristic } else { nil }
  }

  var isNotification: Bool { if case .notified = self { true } else { false } }

  var link: Link? {
    switch self {
    case .connected(let link), .disconnected(let link, _), .attributeRead(let link, _, _, _),
      .subscribed(let link, _, _), .notified(let link, _, _, _), .declared(let link, _, _),
      .notifiedInPart(let link, _, _, _, _), .incomplete(let link), .repeated(let link, _, _):
      link
    case .named, .unread, .anomaly: nil
    }
  }

  var anomaly: HostAnomaly? { if case .anomaly(let anomaly) = self { anomaly } else { nil } }
}
