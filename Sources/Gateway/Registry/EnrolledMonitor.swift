public import BlueZ
public import Bluetooth
import HealthStorage
public import Ingestion

/// A heart-rate monitor that the user has paired and added to a store. The store's gateway follows it.
public struct EnrolledMonitor: Sendable, Hashable {
  public var address: BluetoothAddress
  public var name: String?
  /// The strings of the monitor's Device Information Service by characteristic, such as
  /// `deviceInformation[.modelNumberString]`.
  public var deviceInformation: [BluetoothUUID: String] = [:]
  /// The body location reported by the monitor; `nil` if it does not report one.
  public var sensorLocation: BodySensorLocation?
  /// Whether this host is bonded with the monitor. The Heart Rate Service does not require a bond.
  public var isBonded: Bool
  /// When the monitor was first added to the store.
  public var enrolled: ReceiptTime
  /// When the monitor last connected or sent a measurement or its battery level.
  public var lastSeen: ReceiptTime?
  /// The receipt time of the last measurement that a gateway has stored.
  public var lastMeasurement: ReceiptTime?
  /// The battery level in percent, 0–100.
  public var battery: Int?
  /// The address of the adapter that last connected to the monitor. Names such as `hci0` are not stored,
  /// because they change.
  public var adapter: BluetoothAddress?
  /// The last state that a gateway stored for the monitor; `nil` if no gateway has followed the monitor yet.
  /// The state is outdated if the gateway was killed: see ``MonitorRegistry/hasGateway``.
  public var state: MonitorState?
  /// How the monitor deviates from the specification, as declared by the user; see
  /// ``MonitorRegistry/declare(_:of:)``.
  public internal(set) var settings = MonitorSettings()

  public init(address: BluetoothAddress, name: String? = nil, isBonded: Bool, enrolled: ReceiptTime) {
    self.address = address
    self.name = name
    self.isBonded = isBonded
    self.enrolled = enrolled
  }

  /// The bundle identifier of the `HKSource` of its samples.
  public var sourceIdentifier: String { MonitorDescription.sourceIdentifier(of: address.description) }
}

// MARK: - Device Information

extension EnrolledMonitor {
  /// Updates the description from values that were read from the monitor: name, sensor location and Device
  /// Information strings. Ignores other characteristics and values that cannot be decoded.
  public mutating func learn(_ values: [(characteristic: BluetoothUUID, value: AttributeValue)]) {
    var description = description
    for (characteristic, value) in values { description.learn(characteristic, value) }
    self.description = description
  }

  /// The monitor's name, sensor location and Device Information, as last read.
  package var description: MonitorDescription {
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
  /// Creates a monitor from its row in the store.
  /// - Returns: `nil` if this version does not know the row's address type.
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

/// The state of a monitor as a gateway stores it.
///
/// It is not an enumeration, because a newer version may have stored a state unknown to this one.
public struct MonitorState: RawRepresentable, Hashable, Sendable {
  /// The stored name, which `--json` also prints.
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public init(_ state: FollowState) { rawValue = state.rawValue }

  /// No gateway follows the monitor.
  public static let stopped = MonitorState(rawValue: "stopped")
}
