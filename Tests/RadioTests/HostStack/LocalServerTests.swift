import Bluetooth
import Testing

@testable import PacketLog

/// Logs recorded at the peripheral, whose own server sends the values.
@Suite struct LocalServerTests {
  private var traffic = HostTraffic()
  private static let adapter = BluetoothAddress(bits: 0x02A5_5FFF_0001, kind: .publicDevice)

  private mutating func appear(_ address: [UInt8] = [0x01, 0x00, 0xFF, 0x5F, 0xA5, 0x02]) {
    let record = [0, 0] + address + Array("hci0".utf8) + [0, 0, 0, 0]
    var reported: [HostEvent] = []
    traffic.observer.observeController(0, record.span.bytes, isRestated: false) { reported.append($0) }
    traffic.events += reported
  }

  /// A client on a handle requests the declaration of the measurement, and the host responds.
  private mutating func discover(on handle: UInt16 = 0x40) {
    traffic.peer([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], on: handle)
    traffic.host([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A], on: handle)
  }

  private mutating func subscribe(on handle: UInt16) {
    traffic.peer([0x12, 0x13, 0x00, 0x01, 0x00], on: handle)
    traffic.host([0x13], on: handle)
  }

  private mutating func send(_ value: [UInt8], on handle: UInt16 = 0x40) {
    traffic.host([0x1B, 0x12, 0x00] + value, on: handle)
  }

  private var values: [[UInt8]] {
    traffic.events.compactMap { if case .notified(_, _, _, let value) = $0 { value.bytes } else { nil } }
  }

  private var copies: Int {
    traffic.events.count { if case .repeated = $0 { true } else { false } }
  }

  @Test mutating func `its notifications have the adapter's address, until its client is gone`() {
    appear()
    traffic.connect(to: .other)
    discover()
    send([0x06, 60])
    traffic.disconnect(reason: 0x13)
    let client = Link(id: 1, peer: .other)
    let server = Link(id: 0x8000_0000, peer: Self.adapter, isLocal: true)
    #expect(
      traffic.events == [
        .connected(client), .connected(server),
        .declared(server, handle: 0x12, characteristic: .heartRateMeasurement),
        .notified(server, handle: 0x12, characteristic: .heartRateMeasurement, value: [0x06, 60]),
        .disconnected(server, reason: 0x13), .disconnected(client, reason: 0x13),
      ])
  }

  @Test mutating func `its handles are still known after the client that requested them is gone`() {
    traffic.connect(to: .other)
    discover()
    traffic.disconnect()
    traffic.connect(to: .strap)
    send([0x06, 60])
    #expect(traffic.events.last?.notified == .heartRateMeasurement)
  }

  @Test mutating func `a value for two clients counts once, whichever client gets it first`() {
    for handle in 0x40...0x41 as ClosedRange<UInt16> {
      traffic.connect(handle, to: handle == 0x40 ? .other : .strap)
      discover(on: handle)
      subscribe(on: handle)
    }
    // The server sends equal values in a row. Each client receives all of them.
    for (number, rate) in ([60, 60, 60, 61, 60] as [UInt8]).enumerated() {
      let order: [UInt16] = number % 2 == 0 ? [0x40, 0x41] : [0x41, 0x40]
      for handle in order { send([0x06, rate], on: handle) }
    }
    #expect(values.map { $0[1] } == [60, 60, 60, 61, 60])
    #expect(copies == 5)
    // The first client receives four values before the second client receives the same ones.
    for rate in 70..<74 as Range<UInt8> { send([0x06, rate]) }
    for rate in 70..<74 as Range<UInt8> { send([0x06, rate], on: 0x41) }
    #expect(values.count == 9)
    #expect(copies == 9)
    // With a single client, equal values are not copies.
    traffic.disconnect(0x40)
    for _ in 0..<3 { send([0x06, 73], on: 0x41) }
    #expect(values.count == 12)
  }

  @Test mutating func `a later client gets new values only`() {
    traffic.connect(0x40, to: .other)
    discover()
    for _ in 0..<3 { send([0x06, 60]) }
    traffic.connect(0x41, to: .strap)
    subscribe(on: 0x41)
    send([0x06, 60], on: 0x41)
    send([0x06, 60], on: 0x40)
    #expect(values.count == 4)
    #expect(copies == 1)
  }

  @Test
  mutating func `a lasting random address is the advertised one, and a private one identifies no device`() {
    traffic.observe(.command, .hostToController, [0x05, 0x20, 6, 1, 2, 3, 4, 5, 0xC6])
    traffic.observe(
      .command, .hostToController, [0x06, 0x20, 15, 0, 8, 0, 8, 0, 1] + [UInt8](repeating: 0, count: 9))
    let name: [UInt8] = [5, 0x09] + Array("Belt".utf8)
    traffic.observe(
      .command, .hostToController,
      [0x08, 0x20, 32, UInt8(name.count)] + name + [UInt8](repeating: 0, count: 31 - name.count))
    traffic.connect(to: .other)
    discover()
    let belt = BluetoothAddress(bits: 0xC605_0403_0201, kind: .random)
    #expect(traffic.events.contains(.named(belt, "Belt")))
    #expect(traffic.events.last?.link?.peer == belt)

    traffic = HostTraffic()
    traffic.observe(.command, .hostToController, [0x05, 0x20, 6, 1, 2, 3, 4, 5, 0x46])
    traffic.event([0x0E, 10, 1, 0x09, 0x10, 0, 0x01, 0x00, 0xFF, 0x5F, 0xA5, 0x02])
    traffic.connect(to: .other)
    discover()
    #expect(traffic.events.last?.link?.peer == Self.adapter)
  }

  @Test mutating func `without directions, the role on the link determines the server`() {
    let parameters: [UInt8] = [
      0x01, 0, 0x40, 0, 1, 1, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 24, 0, 0, 0, 42, 0, 0,
    ]
    traffic.event([0x3E, UInt8(parameters.count)] + parameters)
    for direction in [HCIDirection.controllerToHost, .hostToController] {
      let pdu: [UInt8] =
        direction == .controllerToHost
        ? [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]
        : [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A]
      traffic.observe(.aclData, nil, ACLPacket.attribute(pdu, on: 0x40, direction))
    }
    #expect(traffic.events.last?.link?.isLocal == true)
    // If the direction is unknown, the first fragment of a frame on an existing connection determines it.
    traffic = HostTraffic()
    traffic.observe(.aclData, nil, ACLPacket.attribute([0x1B, 0x12, 0, 6, 60], on: 0x40, .hostToController))
    #expect(traffic.events.last?.link?.isLocal == true)
    traffic = HostTraffic()
    traffic.observe(.aclData, nil, ACLPacket.attribute([0x1B, 0x12, 0, 6, 60], on: 0x40, .controllerToHost))
    #expect(traffic.events.last?.link?.isLocal == false)
  }

  @Test mutating func `a continued log restates its controller, and another controller is a different one`() {
    appear()
    traffic.connect(to: .strap)
    traffic.declareMeasurement()
    traffic.events = []
    let same: [UInt8] = [0, 0, 0x01, 0x00, 0xFF, 0x5F, 0xA5, 0x02] + [UInt8](repeating: 0, count: 8)
    var other = same
    other[2] = 9
    var reported: [HostEvent] = []
    for record in [same, [], other] {
      traffic.observer.observeController(0, record.span.bytes, isRestated: true) { reported.append($0) }
      #expect(reported.isEmpty == (record != other))
    }
    #expect(reported == [.disconnected(Link(id: 1, peer: .strap), reason: 0x16)])
  }

  @Test mutating func `the number of servers in a hostile log is limited`() {
    for controller in 0..<2000 as Range<UInt16> {
      traffic.connect(to: .other, controller: controller)
      traffic.peer([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], controller: controller)
      traffic.host(
        [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A], controller: controller)
    }
    #expect(traffic.events.count { if case .declared = $0 { true } else { false } } == 2000)
    let began = traffic.events.count { if case .connected = $0 { true } else { false } }
    let ended = traffic.events.count { if case .disconnected = $0 { true } else { false } }
    #expect(began == 4000)
    #expect(began - ended <= 2 * 128)
  }
}
