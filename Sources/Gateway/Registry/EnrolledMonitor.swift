public import BlueZ
public import Bluetooth
import HealthStorage
public import Ingestion

/// A heart-rate monitor that the user has enrolled. The gateway follows it.
public struct EnrolledMonitor: Sendable, Hashable {
  public var address: BluetoothAddress
  public var name: String?
  /// The strings of its Device Information Service.
  private var deviceInformation: [BluetoothUUID: String] = [:]
  /// Where it is worn, as it reports itself; `nil` if it does not say.
  public var sensorLocation: BodySensorLocation?
  /// Whether the host has a bond with it. The Heart Rate Service does not need one.
  public var isBonded: Bool
  /// When it was first enrolled.
  public var enrolled: ReceiptTime
  /// When it last connected, measured or reported its battery level.
  public var lastSeen: ReceiptTime?
  /// The receipt of the last measurement that a live run committed.
  public var lastMeasurement: ReceiptTime?
  /// Percent, 0–100.
  public var battery: Int?
  /// The adapter that saw it last, by address because `hciN` numbers change.
  public var adapter: BluetoothAddress?
  /// The gateway's last state for it; `nil` if no gateway has followed it yet. A gateway that was killed
  /// leaves its last state behind: see ``MonitorRegistry/hasGateway``.
  public var state: MonitorState?
  /// The declared deviations from the specification; see ``MonitorRegistry/declare(_:of:)``.
  public internal(set) var settings = MonitorSettings()

  public init(address: BluetoothAddress, name: String? = nil, isBonded: Bool, enrolled: ReceiptTime) {
    self.address = address
    self.name = name
    self.isBonded = isBonded
    self.enrolled = enrolled
  }

  /// The bundle identifier of the source of its samples.
  public var sourceIdentifier: String { MonitorDescription.sourceIdentifier(of: address.description) }
}

// MARK: - Device Information

extension EnrolledMonitor {
  public var manufacturer: String? {
    get { deviceInformation[.manufacturerNameString] }
    set { deviceInformation[.manufacturerNameString] = newValue }
  }
  public var model: String? {
    get { deviceInformation[.modelNumberString] }
    set { deviceInformation[.modelNumberString] = newValue }
  }
  public var serialNumber: String? {
    get { deviceInformation[.serialNumberString] }
    set { deviceInformation[.serialNumberString] = newValue }
  }
  public var hardwareRevision: String? {
    get { deviceInformation[.hardwareRevisionString] }
    set { deviceInformation[.hardwareRevisionString] = newValue }
  }
  public var firmwareRevision: String? {
    get { deviceInformation[.firmwareRevisionString] }
    set { deviceInformation[.firmwareRevisionString] = newValue }
  }
  public var softwareRevision: String? {
    get { deviceInformation[.softwareRevisionString] }
    set { deviceInformation[.softwareRevisionString] = newValue }
  }

  /// Stores values that were read from the monitor: Device Information strings, name and sensor location.
  /// Ignores values that cannot be decoded and characteristics that do not describe a monitor.
  public mutating func learn(_ values: [(characteristic: BluetoothUUID, value: AttributeValue)]) {
    var description = description
    for (characteristic, value) in values { description.learn(characteristic, value) }
    self.description = description
  }

  /// The monitor's description of itself, as last read.
  var description: MonitorDescription {
    get {
      MonitorDescription(
        .address(address), name: name, sensorLocation: sensorLocation, deviceInformation: deviceInformation)
    }
    set {
      name = newValue.name
      sensorLocation = newValue.sensorLocation
      deviceInformation = newValue.deviceInformation
    }
  }
}

// MARK: - Database row

extension EnrolledMonitor {
  /// - Returns: `nil` if this version cannot read the address in the row.
  init?(_ record: MonitorRecord) {
    guard let address = BluetoothAddress(record.address) else { return nil }
    self.init(
      address: address, isBonded: record.isBonded,
      enrolled: ReceiptTime(microsecondsSince1970: record.enrolled))
    description = MonitorDescription(.address(address), record.description)
    lastSeen = record.lastSeen.map(ReceiptTime.init(microsecondsSince1970:))
    lastMeasurement = record.lastMeasurement.map(ReceiptTime.init(microsecondsSince1970:))
    battery = record.battery
    adapter = record.adapter.flatMap(BluetoothAddress.init)
    state = record.state.map(MonitorState.init(rawValue:))
    settings = record.settings
  }

  var record: MonitorRecord {
    var record = MonitorRecord(
      address: AddressRecord(address), isBonded: isBonded, enrolled: enrolled.microsecondsSince1970)
    record.description = description.record
    record.lastSeen = lastSeen?.microsecondsSince1970
    record.lastMeasurement = lastMeasurement?.microsecondsSince1970
    record.battery = battery
    record.adapter = adapter.map(AddressRecord.init)
    record.state = state?.rawValue
    return record
  }
}

/// The gateway's state for a monitor, as stored.
///
/// The set of values is open: a store that another version wrote may contain an unknown state.
public struct MonitorState: RawRepresentable, Hashable, Sendable {
  /// The name that is stored and printed by `--json`.
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public init(_ state: FollowState) { rawValue = state.rawValue }

  /// No gateway follows the monitor.
  public static let stopped = MonitorState(rawValue: "stopped")
}
