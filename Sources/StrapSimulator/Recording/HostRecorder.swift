import Bluetooth
import PacketLog

/// Records the traffic that is seen by the host to which the straps connect.
struct HostRecorder: SessionRecorder {
  private static let firstHandle: UInt16 = 0x0040
  private static let rssi: Int8 = -58

  private let straps: [Strap]
  private var log: MonitorLog

  var summary: StrapLog.Summary { log.summary }

  private struct Strap {
    var profile: StrapProfile
    var connection: UInt16
    var measurementHandle: UInt16
  }

  init(_ profiles: [StrapProfile], to path: String, at time: ReceiptTime) throws(PacketLogError) {
    log = try MonitorLog(path: path, address: MonitorLog.hostAddress, at: time)
    straps = profiles.enumerated().map { index, profile in
      Strap(
        profile: profile, connection: Self.firstHandle + UInt16(index),
        measurementHandle: AttributeDatabase(profile).handle(of: .heartRateMeasurement) ?? 0)
    }
    try open(at: time)
  }

  mutating func rotate(to path: String, at time: ReceiptTime) throws(PacketLogError) {
    try log.rotate(to: path, at: time)
  }

  mutating func close() throws(PacketLogError) { try log.close() }

  private mutating func open(at time: ReceiptTime) throws(PacketLogError) {
    for command in [HCICommandPacket.reset, HCICommandPacket.leSetScanEnable(true)] {
      try log.send(command, time)
      try log.receive(HCIEventPacket.commandComplete(of: command), time)
    }
  }

  mutating func append(_ event: SimulatedSession.Event) throws(PacketLogError) {
    let strap = straps[event.strap]
    let time = event.time
    switch event.event {
    case .measured(let measurement):
      log.summary.notifications += 1
      let pdu = AttributePDU.notification(strap.measurementHandle, measurement.encoded)
      try log.exchange(pdu, strap.connection, .controllerToHost, time)
    case .advertised:
      try advertise(strap.profile, time)
    case .connected:
      try log.receive(
        HCIEventPacket.leConnectionComplete(
          handle: strap.connection, peer: strap.profile.address, interval: StrapLink.interval,
          supervisionTimeout: StrapLink.supervisionTimeout), time)
    case .requested(let pdu):
      try log.exchange(pdu, strap.connection, .hostToController, time)
      try log.receive(HCIEventPacket.completedPacket(handle: strap.connection), time)
    case .responded(let pdu, _):
      try log.exchange(pdu, strap.connection, .controllerToHost, time)
    case .disconnected(let reason):
      try log.receive(HCIEventPacket.disconnectionComplete(handle: strap.connection, reason: reason), time)
    }
  }

  /// Records an advertisement that contains the service, a scan response that contains the name, and the
  /// host's command to connect.
  private mutating func advertise(_ strap: StrapProfile, _ time: ReceiptTime) throws(PacketLogError) {
    let advertisement = StrapAdvertisement(strap)
    try log.receive(
      HCIEventPacket.leAdvertisingReport(
        from: strap.address, isScanResponse: false, data: advertisement.data, rssi: Self.rssi), time)
    try log.receive(
      HCIEventPacket.leAdvertisingReport(
        from: strap.address, isScanResponse: true, data: advertisement.scanResponse, rssi: Self.rssi), time)
    let command = HCICommandPacket.leCreateConnection(
      to: strap.address, interval: StrapLink.interval, supervisionTimeout: StrapLink.supervisionTimeout)
    try log.send(command, time)
    try log.receive(HCIEventPacket.commandStatus(of: command), time)
  }
}
