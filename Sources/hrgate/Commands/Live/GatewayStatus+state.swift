import BlueZ
import Bluetooth
import Gateway
import Ingestion

extension GatewayStatus {
  /// Makes the values that the gateway publishes on the bus.
  init(_ state: GatewayState) {
    self.init()
    summary = state.summary
    storeFailure = state.storeFailure
    let tally = state.tally
    measurements = UInt64(clamping: tally.measurements)
    stored = UInt64(clamping: tally.storedMeasurements)
    duplicates = UInt64(clamping: tally.duplicates)
    rejected = UInt64(clamping: tally.rejectedMeasurements)
    waiting = UInt64(clamping: tally.waitingMeasurements)
    monitors = state.monitors.map(MonitorStatus.init)
  }
}

extension MonitorStatus {
  init(_ monitor: GatewayState.Monitor) {
    self.init(address: monitor.enrolled.address.description)
    name = monitor.enrolled.name
    state = monitor.status?.state.rawValue
    detail = monitor.status?.detail
    advice = monitor.advice
    person = monitor.person
    adapter = monitor.status?.adapter?.description
    battery = (monitor.battery ?? monitor.enrolled.battery).map { UInt8(clamping: $0) }
    isBonded = monitor.status?.isBonded ?? monitor.enrolled.isBonded
    if let latest = monitor.latest?.measurement {
      heartRate = UInt16(clamping: latest.heartRate)
      measuredAt = UInt64(clamping: latest.receiptTime.microsecondsSince1970)
      hasContact = latest.hasContact
    }
    intervals = monitor.beats.intervals
    beats = monitor.beats.count
    beatAt = monitor.beats.received.map { UInt64(clamping: $0.microsecondsSince1970) }
    measurements = UInt64(clamping: monitor.measurements)
  }
}

extension IngestionTally {
  /// Number of measurements that are in memory: neither stored, nor duplicate, nor rejected yet.
  var waitingMeasurements: Int { measurements - storedMeasurements - duplicates - rejectedMeasurements }
}
