public import Bluetooth
import GATT
import HostStack
public import PacketLog

/// Writes the log that a monitor of the host's traffic would have made of simulated straps: btsnoop, datalink
/// 2001.
public struct StrapLog {
  /// What a log holds.
  public struct Summary: Hashable, Sendable {
    public var records = 0
    /// Frames of Heart Rate Measurement.
    public var notifications = 0
  }

  private static let controller: UInt16 = 0
  private static let controllerAddress = BluetoothAddress(bits: 0x02A5_5FFF_0001, kind: .publicDevice)
  /// The identifier that the Bluetooth SIG keeps for internal use (Assigned Numbers, §7.1).
  private static let internalUse: UInt16 = 0xFFFF
  private static let firstHandle: UInt16 = 0x0040
  private static let rssi: Int8 = -58

  private let straps: [Strap]
  private let writer: BTSnoopWriter
  private var summary = Summary()

  private struct Strap {
    var profile: StrapProfile
    var connection: UInt16
    var measurementHandle: UInt16
  }

  /// Writes a log; the file is for its owner alone.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output.
  ///   - seed: What the hearts and the radio do differently from another seed.
  /// - Throws: `.io`.
  @discardableResult
  public static func write(
    to path: String, straps: [StrapProfile], duration: Duration, seed: UInt64, start: ReceiptTime
  ) throws(PacketLogError) -> Summary {
    var log = StrapLog(straps, try BTSnoopWriter(path: path))
    try log.open(at: start)
    for event in SimulatedSession(straps: straps, duration: duration, seed: seed, start: start) {
      try log.append(event)
    }
    try log.writer.close()
    return log.summary
  }

  private init(_ profiles: [StrapProfile], _ writer: BTSnoopWriter) {
    self.writer = writer
    straps = profiles.enumerated().map { index, profile in
      Strap(
        profile: profile, connection: Self.firstHandle + UInt16(index),
        measurementHandle: AttributeDatabase(profile).handle(of: .heartRateMeasurement) ?? 0)
    }
  }

  private mutating func open(at time: ReceiptTime) throws(PacketLogError) {
    let address = Self.controllerAddress
    try writer.appendNewIndex(Self.controller, address: address, name: "hci0", time: time)
    try writer.appendOpenIndex(Self.controller, time: time)
    try writer.appendIndexInformation(
      Self.controller, address: address, manufacturer: Self.internalUse, time: time)
    summary.records += 3
    for command in [HCICommandPacket.reset, HCICommandPacket.leSetScanEnable(true)] {
      try send(command, time)
      try tell(HCIEventPacket.commandComplete(of: command), time)
    }
  }

  private mutating func append(_ event: SimulatedSession.Event) throws(PacketLogError) {
    let strap = straps[event.strap]
    let time = event.time
    switch event.event {
    case .measured(let measurement):
      summary.notifications += 1
      let pdu = AttributePDU.notification(strap.measurementHandle, measurement.encoded)
      try exchange(pdu, strap, .controllerToHost, time)
    case .advertised:
      try advertise(strap.profile, time)
    case .connected:
      try tell(
        HCIEventPacket.leConnectionComplete(
          handle: strap.connection, peer: strap.profile.address, interval: StrapLink.interval,
          supervisionTimeout: StrapLink.supervisionTimeout), time)
    case .requested(let pdu):
      try exchange(pdu, strap, .hostToController, time)
      try tell(HCIEventPacket.completedPacket(handle: strap.connection), time)
    case .responded(let pdu, _):
      try exchange(pdu, strap, .controllerToHost, time)
    case .disconnected(let reason):
      try tell(HCIEventPacket.disconnectionComplete(handle: strap.connection, reason: reason), time)
    }
  }

  /// An advertisement with the service, its scan response with the name, and the host's answer: to connect.
  private mutating func advertise(_ strap: StrapProfile, _ time: ReceiptTime) throws(PacketLogError) {
    let generalDiscoverableLEOnly: [UInt8] = [2, 0x01, 0x06]
    let heartRateService: [UInt8] = [3, 0x03, 0x0D, 0x18]
    let name = Array(strap.name.utf8.prefix(29))
    try tell(
      HCIEventPacket.leAdvertisingReport(
        from: strap.address, isScanResponse: false, data: generalDiscoverableLEOnly + heartRateService,
        rssi: Self.rssi), time)
    try tell(
      HCIEventPacket.leAdvertisingReport(
        from: strap.address, isScanResponse: true, data: [UInt8(name.count + 1), 0x09] + name,
        rssi: Self.rssi), time)
    let command = HCICommandPacket.leCreateConnection(
      to: strap.address, interval: StrapLink.interval, supervisionTimeout: StrapLink.supervisionTimeout)
    try send(command, time)
    try tell(HCIEventPacket.commandStatus(of: command), time)
  }

  private mutating func send(_ command: [UInt8], _ time: ReceiptTime) throws(PacketLogError) {
    summary.records += 1
    try writer.append(
      .command, direction: .hostToController, controller: Self.controller, time: time, command)
  }

  private mutating func tell(_ event: [UInt8], _ time: ReceiptTime) throws(PacketLogError) {
    summary.records += 1
    try writer.append(.event, direction: .controllerToHost, controller: Self.controller, time: time, event)
  }

  private mutating func exchange(
    _ pdu: [UInt8], _ strap: Strap, _ direction: HCIDirection, _ time: ReceiptTime
  ) throws(PacketLogError) {
    summary.records += 1
    try writer.append(
      .aclData, direction: direction, controller: Self.controller, time: time,
      ACLPacket.attribute(pdu, on: strap.connection, direction))
  }
}
