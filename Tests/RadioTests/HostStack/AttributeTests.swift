import Bluetooth
import Testing

@testable import PacketLog

/// Requests, responses and notified values (Core Specification, Vol 3, Part F, §3.4).
@Suite struct AttributeTests {
  private var traffic: HostTraffic = {
    var traffic = HostTraffic()
    traffic.connect()
    _ = traffic.drainEvents()
    return traffic
  }()
  private let link = Link(id: 1, peer: .strap)

  private mutating func characteristic(at handle: UInt16) -> BluetoothUUID? {
    traffic.events = []
    traffic.notify(handle)
    return traffic.drainEvents().first?.notified
  }

  // MARK: - Discovery

  @Test mutating func `declarations give the handles of values, with short and long UUIDs`() {
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([
      0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A, 0x14, 0x00, 0x02, 0x15, 0x00, 0x38, 0x2A,
    ])
    traffic.host([0x08, 0x16, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([0x09, 0x15, 0x20, 0x00, 0x10, 0x21, 0x00] + (1...16))
    #expect(characteristic(at: 0x12) == .heartRateMeasurement)
    #expect(characteristic(at: 0x15) == .bodySensorLocation)
    #expect(
      characteristic(at: 0x21) == BluetoothUUID(high: 0x100F_0E0D_0C0B_0A09, low: 0x0807_0605_0403_0201))
    #expect(characteristic(at: 0x13) == nil)
  }

  @Test mutating func `Find Information gives the types of attributes`() {
    traffic.host([0x04, 0x10, 0x00, 0x14, 0x00])
    traffic.peer([
      0x05, 0x01, 0x10, 0x00, 0x00, 0x28, 0x11, 0x00, 0x03, 0x28, 0x12, 0x00, 0x37, 0x2A, 0x13, 0x00, 0x02,
      0x29,
    ])
    #expect(characteristic(at: 0x12) == .heartRateMeasurement)
    #expect(characteristic(at: 0x10) == nil)
    #expect(characteristic(at: 0x13) == nil)
  }

  @Test mutating func `services are found by group and by value`() {
    traffic.host([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
    traffic.peer([0x11, 0x06, 0x01, 0x00, 0x0F, 0x00, 0x00, 0x18, 0x10, 0x00, 0x1F, 0x00, 0x0D, 0x18])
    traffic.host([0x06, 0x20, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0F, 0x18])
    traffic.peer([0x07, 0x20, 0x00, 0x2F, 0x00])
    traffic.disconnect()
    let map = traffic.observer.map(for: .strap)
    #expect(map?.service(at: 0x0F) == .genericAccess)
    #expect(map?.service(at: 0x10) == .heartRate)
    #expect(map?.service(at: 0x2F) == .battery)
    #expect(map?.service(at: 0x30) == nil)
  }

  @Test mutating func `a list of declarations replaces the known ones of its range`() {
    traffic.declareMeasurement()
    #expect(characteristic(at: 0x12) == .heartRateMeasurement)
    // Simulate a firmware update that moves the handle of the characteristic by two.
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([0x09, 0x07, 0x13, 0x00, 0x10, 0x14, 0x00, 0x37, 0x2A])
    #expect(characteristic(at: 0x14) == .heartRateMeasurement)
    #expect(characteristic(at: 0x12) == nil)
  }

  @Test mutating func `a list in two responses is one list`() {
    traffic.declareMeasurement()
    // The second request starts after the last declaration that was returned, at the handle of its value.
    traffic.host([0x08, 0x12, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([0x09, 0x07, 0x14, 0x00, 0x02, 0x15, 0x00, 0x38, 0x2A])
    #expect(characteristic(at: 0x12) == .heartRateMeasurement)
    #expect(characteristic(at: 0x15) == .bodySensorLocation)
  }

  @Test mutating func `the number of remembered attributes of a peer is limited`() {
    for start in stride(from: 1, to: 0xF000, by: 3) {
      traffic.host([0x10, UInt8(start & 0xFF), UInt8(start >> 8), 0xFF, 0xFF, 0x00, 0x28])
      let entries = (start..<start + 3).flatMap { handle in
        let bytes = [UInt8(handle & 0xFF), UInt8(handle >> 8)]
        return bytes + bytes + [0x0D, 0x18]
      }
      traffic.peer([0x11, 0x06] + entries)
    }
    traffic.disconnect()
    #expect(traffic.observer.map(for: .strap)?.service(at: 0x10) == .heartRate)
    #expect(traffic.observer.map(for: .strap)?.service(at: 0xEFFF) == nil)
  }

  @Test mutating func `Service Changed removes the attributes of its range`() {
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([
      0x09, 0x07, 0x02, 0x00, 0x20, 0x03, 0x00, 0x05, 0x2A, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A,
    ])
    traffic.peer([0x1D, 0x03, 0x00, 0x10, 0x00, 0x20, 0x00])
    #expect(traffic.events.last?.notified == .serviceChanged)
    #expect(characteristic(at: 0x12) == nil)
    #expect(characteristic(at: 0x03) == .serviceChanged)
  }

  @Test mutating func `a response to another request is ignored`() {
    traffic.host([0x0A, 0x15, 0x00])
    traffic.peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
    #expect(characteristic(at: 0x12) == nil)
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([0x01, 0x08, 0x01, 0x00, 0x0A])
    traffic.peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
    #expect(characteristic(at: 0x12) == nil)
  }

  @Test mutating func `a truncated response gives its complete entries`() {
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A, 0x14, 0x00, 0x02])
    #expect(characteristic(at: 0x12) == .heartRateMeasurement)
  }

  // MARK: - Read values

  @Test mutating func `a read is reported with its characteristic`() {
    traffic.host([0x04, 0x15, 0x00, 0x15, 0x00])
    traffic.peer([0x05, 0x01, 0x15, 0x00, 0x38, 0x2A])
    traffic.host([0x0A, 0x15, 0x00])
    traffic.peer([0x0B, 0x01])
    #expect(
      traffic.events == [
        .declared(link, handle: 0x15, characteristic: .bodySensorLocation),
        .attributeRead(link, handle: 0x15, characteristic: .bodySensorLocation, value: [0x01]),
      ])
  }

  @Test mutating func `a Read By Type is reported with the type`() {
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x2A])
    traffic.peer([0x09, 0x05, 0x03, 0x00, 0x48, 0x52, 0x4D])
    #expect(
      traffic.events == [
        .attributeRead(link, handle: 0x03, characteristic: .deviceName, value: [0x48, 0x52, 0x4D])
      ])
  }

  @Test mutating func `a long value grows with each part`() {
    let text = Array("A manufacturer with a rather long name".utf8)
    traffic.host([0x0A, 0x03, 0x00])
    traffic.peer([0x0B] + text.prefix(22))
    traffic.host([0x0C, 0x03, 0x00, 22, 0x00])
    traffic.peer([0x0D] + text.dropFirst(22))
    let values = traffic.events.compactMap {
      if case .attributeRead(_, _, _, let value) = $0 { value.bytes } else { nil }
    }
    #expect(values == [Array(text.prefix(22)), text])
  }

  @Test mutating func `a part that does not continue the value is not appended`() {
    traffic.host([0x0A, 0x03, 0x00])
    traffic.peer([0x0B, 0x41])
    traffic.host([0x0C, 0x03, 0x00, 22, 0x00])
    traffic.peer([0x0D, 0x42])
    #expect(traffic.events.count == 1)
  }

  @Test mutating func `several values in one response are separate`() {
    traffic.host([0x20, 0x03, 0x00, 0x15, 0x00])
    traffic.peer([0x21, 0x02, 0x00, 0x48, 0x52, 0x01, 0x00, 0x01])
    #expect(
      traffic.events == [
        .attributeRead(link, handle: 0x03, characteristic: nil, value: [0x48, 0x52]),
        .attributeRead(link, handle: 0x15, characteristic: nil, value: [0x01]),
      ])
  }

  // MARK: - Notified values

  @Test mutating func `notifications and indications are values`() {
    traffic.declareMeasurement()
    traffic.peer([0x1B, 0x12, 0x00, 0x06, 60])
    traffic.peer([0x1D, 0x12, 0x00, 0x06, 61])
    #expect(
      traffic.events == [
        .notified(link, handle: 0x12, characteristic: .heartRateMeasurement, value: [0x06, 60]),
        .notified(link, handle: 0x12, characteristic: .heartRateMeasurement, value: [0x06, 61]),
      ])
  }

  @Test mutating func `a Multiple Handle Value Notification is several values`() {
    traffic.declareMeasurement()
    traffic.peer([0x23, 0x12, 0x00, 0x02, 0x00, 0x06, 60, 0x20, 0x00, 0x01, 0x00, 86])
    #expect(
      traffic.drainEvents() == [
        .notified(link, handle: 0x12, characteristic: .heartRateMeasurement, value: [0x06, 60]),
        .notified(link, handle: 0x20, characteristic: nil, value: [86]),
      ])
    traffic.peer([0x23, 0x12, 0x00, 0x02, 0x00, 0x06, 60, 0x20, 0x00, 0x09, 0x00, 86])
    #expect(traffic.events.count { $0.isNotification } == 1)
    #expect(traffic.events.compactMap(\.anomaly) == [.truncatedPDU])
  }

  // MARK: - Subscriptions

  @Test mutating func `a configuration next to its value identifies the characteristic`() {
    traffic.declareMeasurement()
    traffic.host([0x12, 0x13, 0x00, 0x01, 0x00])
    #expect(traffic.events.isEmpty)
    traffic.peer([0x13])
    #expect(
      traffic.events == [.subscribed(link, valueHandle: 0x12, characteristic: .heartRateMeasurement)])
  }

  @Test mutating func `a rejected or disabling configuration is not a subscription`() {
    traffic.host([0x12, 0x13, 0x00, 0x01, 0x00])
    traffic.peer([0x01, 0x12, 0x13, 0x00, 0x05])
    traffic.peer([0x13])
    traffic.host([0x12, 0x13, 0x00, 0x00, 0x00])
    traffic.peer([0x13])
    traffic.host([0x12, 0x13, 0x00, 0x01])
    traffic.peer([0x13])
    #expect(traffic.events.isEmpty)
  }

  @Test mutating func `a configuration without a known value belongs to the handle before it`() {
    traffic.host([0x12, 0x13, 0x00, 0x01, 0x00])
    traffic.peer([0x13])
    #expect(traffic.events == [.subscribed(link, valueHandle: 0x12, characteristic: nil)])
  }

  @Test mutating func `a characteristic with a much lower handle is not the owner of a configuration`() {
    traffic.declareMeasurement()
    traffic.host([0x12, 0x31, 0x00, 0x01, 0x00])
    traffic.peer([0x13])
    #expect(traffic.events == [.subscribed(link, valueHandle: 0x30, characteristic: nil)])
  }

  @Test mutating func `a known configuration further down belongs to the characteristic of its service`() {
    traffic.host([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
    traffic.peer([0x11, 0x06, 0x10, 0x00, 0x1F, 0x00, 0x0D, 0x18])
    traffic.declareMeasurement()
    traffic.host([0x04, 0x13, 0x00, 0x14, 0x00])
    traffic.peer([0x05, 0x01, 0x13, 0x00, 0x01, 0x29, 0x14, 0x00, 0x02, 0x29])
    traffic.host([0x12, 0x14, 0x00, 0x01, 0x00])
    traffic.peer([0x13])
    #expect(
      traffic.events == [.subscribed(link, valueHandle: 0x12, characteristic: .heartRateMeasurement)])
  }

  @Test mutating func `a known configuration does not belong to a characteristic of another service`() {
    traffic.host([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
    traffic.peer([0x11, 0x06, 0x10, 0x00, 0x1F, 0x00, 0x0D, 0x18, 0x20, 0x00, 0x2F, 0x00, 0x0F, 0x18])
    traffic.declareMeasurement()
    traffic.host([0x04, 0x24, 0x00, 0x24, 0x00])
    traffic.peer([0x05, 0x01, 0x24, 0x00, 0x02, 0x29])
    traffic.host([0x12, 0x24, 0x00, 0x01, 0x00])
    traffic.peer([0x13])
    #expect(traffic.events == [.subscribed(link, valueHandle: 0x23, characteristic: nil)])
  }

  @Test mutating func `a command between a request and its response does not separate them`() {
    traffic.host([0x0A, 0x15, 0x00])
    traffic.host([0x52, 0x13, 0x00, 0x01, 0x00])
    traffic.peer([0x0B, 0x01])
    #expect(
      traffic.events == [
        .subscribed(link, valueHandle: 0x12, characteristic: nil),
        .attributeRead(link, handle: 0x15, characteristic: nil, value: [0x01]),
      ])
  }
}
