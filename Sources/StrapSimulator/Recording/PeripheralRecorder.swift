import Bluetooth
import PacketLog

/// Records the strap's own traffic: the requests that it receives, and the responses and notifications that
/// it sends.
struct PeripheralRecorder: SessionRecorder {
  private static let connection: UInt16 = 0x0040
  private static let zero = BluetoothAddress(bits: 0, kind: .publicDevice)
  /// The reason that the strap's log contains if the strap ends the connection (Core Specification, Vol 1,
  /// Part F, §2.22).
  private static let terminatedByLocalHost: UInt8 = 0x16
  private static let remoteUserTerminated: UInt8 = 0x13

  /// The first strap; `nil` if there are none. The log contains only its traffic.
  private let strap: StrapProfile?
  private let measurementHandle: UInt16
  private var log: MonitorLog

  var summary: StrapLog.Summary { log.summary }

  init(_ straps: [StrapProfile], to path: String, at time: ReceiptTime) throws(PacketLogError) {
    strap = straps.first
    measurementHandle = strap.flatMap { AttributeDatabase($0).handle(of: .heartRateMeasurement) } ?? 0
    let publicAddress = strap.flatMap { $0.address.kind == .publicDevice ? $0.address : nil }
    log = try MonitorLog(path: path, address: publicAddress ?? Self.zero, at: time)
    if let strap { try open(strap, at: time) }
  }

  private mutating func open(_ strap: StrapProfile, at time: ReceiptTime) throws(PacketLogError) {
    try command(HCICommandPacket.reset, time)
    if strap.address.kind == .random {
      try command(HCICommandPacket.leSetRandomAddress(strap.address), time)
    }
  }

  mutating func append(_ event: SimulatedSession.Event) throws(PacketLogError) {
    guard event.strap == 0, let strap else { return }
    let time = event.time
    switch event.event {
    case .advertised:
      try advertise(strap, time)
    case .connected:
      try log.receive(
        HCIEventPacket.leConnectionComplete(
          handle: Self.connection, peer: MonitorLog.hostAddress, isPeripheral: true,
          interval: StrapLink.interval, supervisionTimeout: StrapLink.supervisionTimeout), time)
    case .requested(let pdu):
      try log.exchange(pdu, Self.connection, .controllerToHost, time)
    case .responded(let pdu, _):
      try send(pdu, time)
    case .measured(let measurement):
      log.summary.notifications += 1
      try send(AttributePDU.notification(measurementHandle, measurement.encoded), time)
    case .disconnected(let reason):
      let ownReason = reason == Self.remoteUserTerminated ? Self.terminatedByLocalHost : reason
      try log.receive(HCIEventPacket.disconnectionComplete(handle: Self.connection, reason: ownReason), time)
    }
  }

  mutating func rotate(to path: String, at time: ReceiptTime) throws(PacketLogError) {
    try log.rotate(to: path, at: time)
  }

  mutating func close() throws(PacketLogError) { try log.close() }

  private mutating func advertise(_ strap: StrapProfile, _ time: ReceiptTime) throws(PacketLogError) {
    let advertisement = StrapAdvertisement(strap)
    try command(HCICommandPacket.leSetAdvertisingParameters(ownAddress: strap.address.kind), time)
    try command(HCICommandPacket.leSetAdvertisingData(advertisement.data), time)
    try command(HCICommandPacket.leSetScanResponseData(advertisement.scanResponse), time)
    try command(HCICommandPacket.leSetAdvertisingEnable(true), time)
  }

  private mutating func command(_ command: [UInt8], _ time: ReceiptTime) throws(PacketLogError) {
    try log.send(command, time)
    try log.receive(HCIEventPacket.commandComplete(of: command), time)
  }

  private mutating func send(_ pdu: [UInt8], _ time: ReceiptTime) throws(PacketLogError) {
    try log.exchange(pdu, Self.connection, .hostToController, time)
    try log.receive(HCIEventPacket.completedPacket(handle: Self.connection), time)
  }
}
