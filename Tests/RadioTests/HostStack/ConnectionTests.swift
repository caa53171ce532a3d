import Bluetooth
import Testing

@testable import PacketLog

@Suite struct ConnectionTests {
  private var traffic = HostTraffic()

  @Test func `each form of Connection Complete begins a link`() {
    // LE Connection Complete and its two enhanced versions have status, handle, role, type and address at the
    // same offsets (Vol 4, Part E, §7.7.65.1, .10, .41).
    for (subevent, length) in [(0x01, 19), (0x0A, 31), (0x29, 36)] as [(UInt8, Int)] {
      for (type, kind) in [(0, .publicDevice), (1, .random), (2, .publicDevice), (3, .random)]
        as [(UInt8, BluetoothAddress.Kind)]
      {
        var traffic = HostTraffic()
        var parameters: [UInt8] = [
          subevent, 0x00, 0x40, 0x00, 0x00, type, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0,
        ]
        parameters += [UInt8](repeating: 0, count: length - parameters.count)
        traffic.event([0x3E, UInt8(parameters.count)] + parameters)
        let peer = BluetoothAddress(bits: 0xC011_2233_4455, kind: kind)
        #expect(traffic.events == [.connected(Link(id: 1, peer: peer))])
      }
    }
  }

  @Test mutating func `the reserved bits of a connection handle are ignored`() {
    traffic.connect(0xF040)
    traffic.notify()
    traffic.disconnect(0xA040)
    #expect(traffic.events.map(\.link?.id) == [1, 1, 1])
  }

  @Test mutating func `a failed connection is not a link`() {
    traffic.event([0x3E, 19, 0x01, 0x3E, 0x40, 0x00] + [UInt8](repeating: 0, count: 15))
    #expect(traffic.events.isEmpty)
  }

  @Test mutating func `a link ends with its reason, and a failed disconnection has no effect`() {
    traffic.connect()
    traffic.event([0x05, 4, 0x0C, 0x40, 0x00, 0x00])
    #expect(traffic.drainEvents().count == 1)
    traffic.disconnect(reason: 0x08)
    #expect(traffic.drainEvents() == [.disconnected(Link(id: 1, peer: .strap), reason: 0x08)])
    traffic.disconnect()
    #expect(traffic.events.isEmpty)
  }

  @Test mutating func `connecting on a handle ends an older link with it`() {
    traffic.connect()
    traffic.connect(to: .other)
    #expect(
      traffic.events == [
        .connected(Link(id: 1, peer: .strap)), .disconnected(Link(id: 1, peer: .strap), reason: 0x16),
        .connected(Link(id: 2, peer: .other)),
      ])
  }

  @Test
  mutating func
    `connecting a peer on another handle ends its older link, and its attributes are still known`()
  {
    traffic.connect()
    traffic.declareMeasurement()
    traffic.connect(0x41)
    #expect(traffic.drainEvents().map(\.link?.id) == [1, 1, 2])
    traffic.notify(on: 0x41)
    #expect(traffic.events.last?.notified == .heartRateMeasurement)
  }

  @Test mutating func `another recording in the same log has its own links`() {
    traffic.connect()
    traffic.declareMeasurement()
    var ended: [HostEvent] = []
    traffic.observer.beginSection { ended.append($0) }
    #expect(ended == [.disconnected(Link(id: 1, peer: .strap), reason: 0x16)])
    _ = traffic.drainEvents()
    traffic.notify()
    #expect(traffic.events.first == .connected(Link(id: 2, peer: nil)))
    #expect(traffic.events.last?.notified == nil)
  }

  @Test mutating func `a reset ends only the links of its controller`() {
    traffic.connect(controller: 0)
    traffic.connect(to: .other, controller: 1)
    _ = traffic.drainEvents()
    traffic.observe(.command, .hostToController, controller: 1, HCICommandPacket.reset)
    #expect(traffic.drainEvents() == [.disconnected(Link(id: 2, peer: .other), reason: 0x16)])
    traffic.notify()
    #expect(traffic.events.first?.link?.peer == .strap)
  }

  @Test mutating func `the same handle on two controllers is two links`() {
    traffic.connect(controller: 0)
    traffic.connect(to: .other, controller: 7)
    traffic.declareMeasurement()
    _ = traffic.drainEvents()
    traffic.peer([0x1B, 0x12, 0x00, 0x06, 60], controller: 0)
    traffic.peer([0x1B, 0x12, 0x00, 0x06, 61], controller: 7)
    #expect(traffic.events.map(\.link?.peer) == [.strap, .other])
    #expect(traffic.events.map(\.notified) == [.heartRateMeasurement, nil])
  }

  @Test mutating func `a log that begins during a connection has a link without a peer`() {
    traffic.notify()
    traffic.notify()
    #expect(traffic.events.map(\.link?.id) == [1, 1, 1])
    #expect(traffic.events.first == .connected(Link(id: 1, peer: nil)))
    #expect(traffic.events.last?.link?.peer == nil)
  }

  @Test mutating func `a reconnected peer's handles are still known, and another peer's are not`() {
    traffic.connect()
    traffic.declareMeasurement()
    traffic.disconnect()
    traffic.connect(0x41)
    traffic.notify(on: 0x41)
    #expect(traffic.drainEvents().last?.notified == .heartRateMeasurement)
    #expect(traffic.observer.map(for: .strap)?.characteristic(at: 0x12) == .heartRateMeasurement)
    traffic.connect(0x42, to: .other)
    traffic.notify(on: 0x42)
    let last = traffic.events.last
    #expect(last?.isNotification == true && last?.notified == nil)
  }

  @Test mutating func `a new log forgets links and keeps peers`() {
    traffic.connect()
    traffic.declareMeasurement()
    traffic.observer.beginLog()
    _ = traffic.drainEvents()
    traffic.notify()
    #expect(traffic.drainEvents().first == .connected(Link(id: 2, peer: nil)))
    traffic.connect()
    traffic.notify()
    #expect(traffic.events.last?.notified == .heartRateMeasurement)
  }

  @Test mutating func `a classic link is not decoded as attributes`() {
    // HCI_Connection_Complete: status, handle, address, link type, encryption.
    traffic.event([0x03, 11, 0x00, 0x40, 0x00, 1, 2, 3, 4, 5, 6, 0x01, 0x00])
    traffic.notify()
    #expect(traffic.events.isEmpty)
    traffic.disconnect()
    traffic.connect()
    traffic.notify()
    #expect(traffic.events.last?.isNotification == true)
  }

  @Test mutating func `names are taken from advertisements, once each`() {
    let name: [UInt8] = [3, 0x08, 0x48, 0x52, 5, 0x09, 0x48, 0x52, 0x4D, 0x31]
    let report = HCIEventPacket.leAdvertisingReport(from: .strap, isScanResponse: true, data: name, rssi: -60)
    traffic.event(report)
    traffic.event(report)
    #expect(traffic.drainEvents() == [.named(.strap, "HRM1")])
    // Extended report: type (2), address type, address, PHYs, SID, power, RSSI, interval (2), direct address
    // (7), length.
    var extended: [UInt8] = [
      0x0D, 1, 0x1B, 0x00, 0x00, 0x66, 0x44, 0x33, 0x22, 0x11, 0x00, 1, 0, 0xFF, 0x7F, 0xC8,
    ]
    extended += [0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 5, 0x09] + Array("Belt".utf8)
    traffic.event([0x3E, UInt8(extended.count)] + extended)
    #expect(traffic.events == [.named(.other, "Belt")])
  }

  @Test mutating func `a name that is not UTF-8 is ignored`() {
    traffic.event(
      HCIEventPacket.leAdvertisingReport(
        from: .strap, isScanResponse: false, data: [3, 0x09, 0xFF, 0xFE], rssi: 0))
    #expect(traffic.events.isEmpty)
  }

  @Test mutating func `the number of followed links is limited, and dropped ones are reported`() {
    for number in 0..<UInt16(LinkTable.capacity + 3) {
      traffic.connect(number, to: BluetoothAddress(bits: UInt64(number), kind: .random))
    }
    #expect(traffic.events.count { $0.anomaly == .tooManyLinks } == 3)
    // Too many links were open, so the oldest ones were dropped and reported as ended.
    let ended = traffic.drainEvents().compactMap {
      if case .disconnected(let link, _) = $0 { link.id } else { nil }
    }
    #expect(ended == [1, 2, 3])
    traffic.notify(on: 0x0EFF)
    #expect(traffic.events.last?.isNotification == true)
  }
}
