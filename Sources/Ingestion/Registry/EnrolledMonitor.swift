public import Bluetooth
public import GATT
import HealthKit

/// A heart-rate monitor that the user enrolled, and that the gateway therefore follows.
public struct EnrolledMonitor: Sendable, Hashable {
  public var address: BluetoothAddress
  public var name: String?
  public var manufacturer: String?
  public var model: String?
  public var serialNumber: String?
  public var hardwareRevision: String?
  public var firmwareRevision: String?
  public var softwareRevision: String?
  public var sensorLocation: BodySensorLocation?
  /// Whether the host keeps keys for it; the Heart Rate Service needs none.
  public var isBonded: Bool
  /// When it was enrolled first.
  public var enrolled: ReceiptTime
  /// When it last connected, measured or told its battery.
  public var lastSeen: ReceiptTime?
  /// The receipt of the last measurement that a live run committed.
  public var lastMeasurement: ReceiptTime?
  /// Percent, 0–100.
  public var battery: Int?
  /// The adapter that saw it last: by address, since `hciN` is a number that changes.
  public var adapter: BluetoothAddress?
  /// How far the gateway that follows it is with it, or that it has stopped; `nil` where none has followed it yet. A gateway
  /// that was killed leaves what was so then: see ``MonitorRegistry/hasGateway``.
  public var state: String?

  public init(address: BluetoothAddress, name: String? = nil, isBonded: Bool, enrolled: ReceiptTime) {
    self.address = address
    self.name = name
    self.isBonded = isBonded
    self.enrolled = enrolled
  }
}

extension EnrolledMonitor {
  /// - Returns: `nil` for an entry whose address this version cannot read.
  init?(_ entry: MonitorEntry) {
    guard let address = BluetoothAddress(entry.address) else { return nil }
    self.init(
      address: address, name: entry.details.name, isBonded: entry.isBonded,
      enrolled: ReceiptTime(microsecondsSince1970: entry.enrolled))
    manufacturer = entry.details.manufacturer
    model = entry.details.model
    serialNumber = entry.details.serialNumber
    hardwareRevision = entry.details.hardwareVersion
    firmwareRevision = entry.details.firmwareVersion
    softwareRevision = entry.details.softwareVersion
    sensorLocation = entry.details.sensorLocation.flatMap(UInt8.init(exactly:)).flatMap(
      BodySensorLocation.init(rawValue:))
    lastSeen = entry.lastSeen.map(ReceiptTime.init(microsecondsSince1970:))
    lastMeasurement = entry.lastMeasurement.map(ReceiptTime.init(microsecondsSince1970:))
    battery = entry.battery
    adapter = entry.adapter.flatMap(BluetoothAddress.init)
    state = entry.state
  }

  var entry: MonitorEntry {
    var entry = MonitorEntry(
      address: MonitorAddress(address), isBonded: isBonded, enrolled: enrolled.microsecondsSince1970)
    entry.details.name = name
    entry.details.manufacturer = manufacturer
    entry.details.model = model
    entry.details.serialNumber = serialNumber
    entry.details.hardwareVersion = hardwareRevision
    entry.details.firmwareVersion = firmwareRevision
    entry.details.softwareVersion = softwareRevision
    entry.details.sensorLocation = sensorLocation.map { Int($0.rawValue) }
    entry.lastSeen = lastSeen?.microsecondsSince1970
    entry.lastMeasurement = lastMeasurement?.microsecondsSince1970
    entry.battery = battery
    entry.adapter = adapter.map(MonitorAddress.init)
    entry.state = state
    return entry
  }
}

extension MonitorAddress {
  init(_ address: BluetoothAddress) {
    self.init(text: address.description, kind: Int(address.kind.rawValue))
  }
}

extension BluetoothAddress {
  /// - Returns: `nil` for what is no address of a kind that this version knows.
  init?(_ address: MonitorAddress) {
    guard let number = UInt8(exactly: address.kind), let kind = Kind(rawValue: number) else { return nil }
    self.init(address.text, kind: kind)
  }
}
