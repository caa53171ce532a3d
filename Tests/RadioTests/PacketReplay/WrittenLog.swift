import Bluetooth
import Foundation
import PacketLog
import PacketReplay

@testable import TestSupport

/// A btsnoop log of one strap's traffic, written packet by packet, one per second.
final class WrittenLog {
  static let strap = BluetoothAddress(bits: 0xC011_2233_4455, kind: .random)
  static let start: Int64 = 1_700_000_000_000_000

  private let folder: TemporaryFolder
  private let writer: BTSnoopWriter
  private var packets: Int64
  let path: String

  /// - Parameter second: The time of the first packet, in seconds after ``start``.
  init(from second: Int64 = 0) throws {
    packets = second
    folder = try TemporaryFolder()
    path = folder.path("log.btsnoop")
    writer = try BTSnoopWriter(path: path)
  }

  private func write(_ type: HCIPacketType, _ direction: HCIDirection, _ bytes: [UInt8]) throws {
    try writer.append(type, direction: direction, time: now, bytes)
    packets += 1
  }

  func advertise(_ name: String) throws {
    try write(
      .event, .controllerToHost,
      HCIEventPacket.leAdvertisingReport(
        from: Self.strap, isScanResponse: true, data: [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8),
        rssi: -50))
  }

  func connect(to peer: BluetoothAddress = strap) throws {
    try write(
      .event, .controllerToHost,
      HCIEventPacket.leConnectionComplete(handle: 0x40, peer: peer, interval: 24, supervisionTimeout: 42))
  }

  func disconnect() throws {
    try write(.event, .controllerToHost, HCIEventPacket.disconnectionComplete(handle: 0x40, reason: 0x08))
  }

  /// Writes that the host starts its controller.
  func reset() throws { try write(.command, .hostToController, HCICommandPacket.reset) }

  /// Writes that a controller exists.
  func appear(_ bits: UInt64 = 0x02A5_5FFF_0001) throws {
    let address = BluetoothAddress(bits: bits, kind: .publicDevice)
    try writer.appendNewIndex(0, address: address, name: "hci0", time: now)
    try writer.appendOpenIndex(0, time: now)
    packets += 1
  }

  private var now: ReceiptTime {
    ReceiptTime(microsecondsSince1970: Self.start + packets * 1_000_000)
  }

  func host(_ pdu: [UInt8]) throws {
    try write(.aclData, .hostToController, ACLPacket.attribute(pdu, on: 0x40, .hostToController))
  }

  func peer(_ pdu: [UInt8]) throws {
    try write(.aclData, .controllerToHost, ACLPacket.attribute(pdu, on: 0x40, .controllerToHost))
  }

  func notify(_ value: AttributeValue, at handle: UInt16 = 0x12) throws {
    try peer(AttributePDU.notification(handle, value))
  }

  /// Declares Heart Rate Measurement at 0x0012.
  func declareMeasurement() throws {
    try host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    try peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
  }

  /// Writes that the client enables notifications and the strap accepts.
  func subscribe(_ configuration: UInt8 = 0x13) throws {
    try host([0x12, configuration, 0x00, 0x01, 0x00])
    try peer([0x13])
  }

  /// Closes the log.
  func finish() throws -> String {
    try writer.close()
    return path
  }
}

/// The output of a replay.
struct Replayed {
  var events: [CentralEvent] = []
  var tally: ReplayTally

  init(_ central: PacketReplayCentral) async throws {
    for try await batch in central.events() { events += batch }
    tally = central.tally
  }

  var values: [AttributeValue] { notifications.map(\.value) }

  var marks: [FrameMarks] { notifications.map(\.marks) }

  /// Seconds since the log's first packet.
  var times: [Int64] {
    notifications.map { ($0.receiptTime.microsecondsSince1970 - WrittenLog.start) / 1_000_000 }
  }

  private var notifications: [ValueNotification] {
    events.compactMap { if case .notified(let notification) = $0 { notification } else { nil } }
  }
}
