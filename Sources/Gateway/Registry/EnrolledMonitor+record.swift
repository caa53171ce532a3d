import Bluetooth
import HealthStorage
import Ingestion

// An enrolled monitor and its row: the only place where one becomes the other.

extension EnrolledMonitor {
  /// - Returns: `nil` for a row whose address this version cannot read.
  init?(_ record: MonitorRecord) {
    guard let address = BluetoothAddress(record.address) else { return nil }
    self.init(
      address: address, name: record.description.name, isBonded: record.isBonded,
      enrolled: ReceiptTime(microsecondsSince1970: record.enrolled))
    manufacturer = record.description.manufacturer
    model = record.description.model
    serialNumber = record.description.serialNumber
    hardwareRevision = record.description.hardwareVersion
    firmwareRevision = record.description.firmwareVersion
    softwareRevision = record.description.softwareVersion
    sensorLocation = record.description.sensorLocation.flatMap(UInt8.init(exactly:)).flatMap(
      BodySensorLocation.init(rawValue:))
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
    record.description.name = name
    record.description.manufacturer = manufacturer
    record.description.model = model
    record.description.serialNumber = serialNumber
    record.description.hardwareVersion = hardwareRevision
    record.description.firmwareVersion = firmwareRevision
    record.description.softwareVersion = softwareRevision
    record.description.sensorLocation = sensorLocation.map { Int($0.rawValue) }
    record.lastSeen = lastSeen?.microsecondsSince1970
    record.lastMeasurement = lastMeasurement?.microsecondsSince1970
    record.battery = battery
    record.adapter = adapter.map(AddressRecord.init)
    record.state = state?.rawValue
    return record
  }
}
