public import Bluetooth
public import Ingestion

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
  /// When it was first enrolled.
  public var enrolled: ReceiptTime
  /// When it last connected, measured or reported its battery.
  public var lastSeen: ReceiptTime?
  /// The receipt of the last measurement that a live run committed.
  public var lastMeasurement: ReceiptTime?
  /// Percent, 0–100.
  public var battery: Int?
  /// The adapter that saw it last: by address, since `hciN` is a number that changes.
  public var adapter: BluetoothAddress?
  /// What the gateway is doing about it; `nil` if none has followed it yet. A gateway that was killed leaves
  /// its last state behind: see ``MonitorRegistry/hasGateway``.
  public var state: MonitorState?
  /// What the user declared about it; see ``MonitorRegistry/declare(_:of:)``.
  public internal(set) var settings = MonitorSettings()

  public init(address: BluetoothAddress, name: String? = nil, isBonded: Bool, enrolled: ReceiptTime) {
    self.address = address
    self.name = name
    self.isBonded = isBonded
    self.enrolled = enrolled
  }
}
