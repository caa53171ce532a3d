import Bluetooth

/// The advertising-channel PDUs that are needed here (Core Specification, Vol 6, Part B, §2.3).
enum AdvertisingPDU {
  struct ConnectionRequest {
    var central: BluetoothAddress
    var peripheral: BluetoothAddress
    var accessAddress: UInt32
    var crcInit: UInt32
    /// The connection interval in units of 1.25 ms.
    var interval: UInt16
  }

  case advertisement(BluetoothAddress, name: String?)
  /// CONNECT_IND, or AUX_CONNECT_REQ, which has the same layout.
  case connection(ConnectionRequest)

  init?(_ pdu: RawSpan) {
    guard let header = pdu.uint8(at: 0) else { return nil }
    let isSenderRandom = header & 0x40 != 0
    switch header & 0x0F {
    case 0, 2, 4, 6:  // ADV_IND, ADV_NONCONN_IND, SCAN_RSP, ADV_SCAN_IND
      guard
        let address = BluetoothAddress(
          littleEndian: pdu, at: 2, kind: isSenderRandom ? .random : .publicDevice)
      else { return nil }
      self = .advertisement(
        address, name: AdvertisingReports.localName(in: pdu.extracting(droppingFirst: 8)))
    case 5:
      guard
        let central = BluetoothAddress(
          littleEndian: pdu, at: 2, kind: isSenderRandom ? .random : .publicDevice),
        let peripheral = BluetoothAddress(
          littleEndian: pdu, at: 8, kind: header & 0x80 != 0 ? .random : .publicDevice),
        let accessAddress = pdu.uint32LE(at: 14), let low = pdu.uint16LE(at: 18),
        let high = pdu.uint8(at: 20),
        // Window size (1 byte) and window offset (2 bytes) precede the interval.
        let interval = pdu.uint16LE(at: 24)
      else { return nil }
      self = .connection(
        ConnectionRequest(
          central: central, peripheral: peripheral, accessAddress: accessAddress,
          crcInit: UInt32(high) << 16 | UInt32(low), interval: interval))
    default:
      return nil
    }
  }
}
