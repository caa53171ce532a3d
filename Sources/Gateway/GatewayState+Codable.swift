import BlueZ
import Bluetooth
import Ingestion

// The JSON of a gateway's state uses the names of `hrgate status --json`, `monitors --json` and the `end`
// event of `run --json`. Times are in ISO 8601. Unknown values are omitted. The JSON contains health data.

/// The JSON object has the counts of all stores together, the members of `hrgate status --json`, and the
/// state of each store and each monitor.
///
/// Decoding and encoding it again results in the same JSON.
extension GatewayState: Codable {
  private enum CodingKeys: CodingKey {
    case person, measurements, stored, duplicates, rejected, heldBack, storeFailure
    case clockError, busHanging, stopping, ended, missed, stores, former, monitors
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(main, forKey: .person)
    let tally = tally
    try container.encode(tally.measurements, forKey: .measurements)
    try container.encode(tally.storedMeasurements, forKey: .stored)
    try container.encode(tally.duplicates, forKey: .duplicates)
    try container.encode(tally.rejectedMeasurements, forKey: .rejected)
    try container.encode(heldBack, forKey: .heldBack)
    try container.encodeIfPresent(storeFailure, forKey: .storeFailure)
    try container.encodeIfPresent(clockError, forKey: .clockError)
    try container.encode(isBusHanging, forKey: .busHanging)
    try container.encode(isStopping, forKey: .stopping)
    try container.encode(hasEnded, forKey: .ended)
    try container.encode(missed, forKey: .missed)
    let people = accounts.keys.sorted { $0 ?? "" < $1 ?? "" }
    var stores = container.nestedUnkeyedContainer(forKey: .stores)
    for person in people {
      if let account = accounts[person] { try stores.encode(Store(person: person, account: account)) }
    }
    try container.encode(ended, forKey: .former)
    try container.encode(monitors, forKey: .monitors)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(of: try container.decodeIfPresent(String.self, forKey: .person))
    clockError = try container.decodeIfPresent(ClockError.self, forKey: .clockError)
    isBusHanging = try container.decode(Bool.self, forKey: .busHanging)
    isStopping = try container.decode(Bool.self, forKey: .stopping)
    hasEnded = try container.decode(Bool.self, forKey: .ended)
    missed = try container.decode(Int.self, forKey: .missed)
    for store in try container.decode([Store].self, forKey: .stores) {
      accounts[store.person] = store.account
    }
    ended = try container.decode([IngestionTally].self, forKey: .former)
    monitors = try container.decode([Monitor].self, forKey: .monitors)
  }

  /// An element of the JSON array `stores`.
  private struct Store: Codable {
    var person: String?
    var account: Account

    private enum CodingKeys: CodingKey {
      case person
    }

    init(person: String?, account: Account) { (self.person, self.account) = (person, account) }

    func encode(to encoder: any Encoder) throws {
      try account.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(person, forKey: .person)
    }

    init(from decoder: any Decoder) throws {
      account = try Account(from: decoder)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      person = try container.decodeIfPresent(String.self, forKey: .person)
    }
  }
}

/// The JSON object contains the counts of one store in this run, and the store's errors.
extension GatewayState.Account: Codable {
  private enum CodingKeys: CodingKey {
    case heldBack, lost, storeFailure, commitFailure, sealing, refusal, hanging, derivationFailure,
      condensingFailure
    case damage, clockRefusal, waiting
  }

  public func encode(to encoder: any Encoder) throws {
    try tally.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(heldBack, forKey: .heldBack)
    try container.encode(lost, forKey: .lost)
    try container.encodeIfPresent(storeFailure, forKey: .storeFailure)
    try container.encodeIfPresent(commitFailure, forKey: .commitFailure)
    if isSealing { try container.encode(isSealing, forKey: .sealing) }
    try container.encodeIfPresent(refusal, forKey: .refusal)
    try container.encode(isHanging, forKey: .hanging)
    try container.encodeIfPresent(derivationFailure, forKey: .derivationFailure)
    try container.encodeIfPresent(condensingFailure, forKey: .condensingFailure)
    try container.encodeIfPresent(damage, forKey: .damage)
    try container.encodeIfPresent(clockRefusal, forKey: .clockRefusal)
    try container.encodeIfPresent(waiting, forKey: .waiting)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    tally = try IngestionTally(from: decoder)
    lost = try container.decode(Int.self, forKey: .lost)
    lostBefore = tally.rejected[.storeFailed, default: 0] - lost
    heldBack = try container.decode(Int.self, forKey: .heldBack)
    commitFailure = try container.decodeIfPresent(String.self, forKey: .commitFailure)
    isSealing = try container.decodeIfPresent(Bool.self, forKey: .sealing) ?? false
    refusal = try container.decodeIfPresent(String.self, forKey: .refusal)
    isHanging = try container.decode(Bool.self, forKey: .hanging)
    derivationFailure = try container.decodeIfPresent(String.self, forKey: .derivationFailure)
    condensingFailure = try container.decodeIfPresent(String.self, forKey: .condensingFailure)
    damage = try container.decodeIfPresent(String.self, forKey: .damage)
    clockRefusal = try container.decodeIfPresent(String.self, forKey: .clockRefusal)
    waiting = try container.decodeIfPresent(OtherGateway.self, forKey: .waiting)
  }
}

/// The JSON object contains the members that `hrgate status --json` prints for a monitor, further values of
/// this run, and the stored monitor in `enrolled`. `battery` and `bonded` are the stored values until this
/// run reports new ones.
extension GatewayState.Monitor: Codable {
  private enum CodingKeys: CodingKey {
    case name, person, state, since, detail, adapter, battery, bonded, heartRate, time, contact, energy
    case intervals, clocks, beats, rssi, heardAt, measurements, problems, tally, enrolled
  }

  public func encode(to encoder: any Encoder) throws {
    try enrolled.address.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(enrolled.name, forKey: .name)
    try container.encodeIfPresent(person, forKey: .person)
    try container.encodeIfPresent(status?.state.rawValue, forKey: .state)
    try container.encodeIfPresent(since, forKey: .since)
    try container.encodeIfPresent(status?.detail, forKey: .detail)
    try container.encodeIfPresent(status?.adapter?.description, forKey: .adapter)
    try container.encodeIfPresent(battery ?? enrolled.battery, forKey: .battery)
    try container.encode(status?.isBonded ?? enrolled.isBonded, forKey: .bonded)
    if let (measurement, clocks) = latest {
      try container.encode(measurement.heartRate, forKey: .heartRate)
      try container.encode(measurement.receiptTime, forKey: .time)
      try container.encodeIfPresent(measurement.hasContact, forKey: .contact)
      try container.encodeIfPresent(measurement.energy, forKey: .energy)
      try container.encode(measurement.intervals, forKey: .intervals)
      try container.encode(clocks, forKey: .clocks)
    }
    try container.encode(beats, forKey: .beats)
    try container.encodeIfPresent(signal?.rssi, forKey: .rssi)
    try container.encodeIfPresent(signal?.time, forKey: .heardAt)
    try container.encode(measurements, forKey: .measurements)
    try container.encode(problems, forKey: .problems)
    try container.encodeIfPresent(tally, forKey: .tally)
    try container.encode(enrolled, forKey: .enrolled)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      person: try container.decodeIfPresent(String.self, forKey: .person),
      enrolled: try container.decode(EnrolledMonitor.self, forKey: .enrolled))
    let address = enrolled.address
    if let name = try container.decodeIfPresent(String.self, forKey: .state) {
      guard let state = FollowState(rawValue: name) else {
        throw DecodingError.dataCorruptedError(
          forKey: .state, in: container,
          debugDescription: "this version does not know the monitor state \(name)")
      }
      status = FollowStatus(
        monitor: address, state: state,
        adapter: try container.decodeIfPresent(String.self, forKey: .adapter).flatMap {
          BluetoothAddress($0, kind: .publicDevice)
        }, detail: try container.decodeIfPresent(String.self, forKey: .detail),
        isBonded: try container.decode(Bool.self, forKey: .bonded))
    }
    since = try container.decodeIfPresent(ReceiptTime.self, forKey: .since)
    battery = try container.decodeIfPresent(Int.self, forKey: .battery)
    if let time = try container.decodeIfPresent(ReceiptTime.self, forKey: .time) {
      let measurement = LiveMeasurement(
        monitor: address, receiptTime: time, heartRate: try container.decode(Int.self, forKey: .heartRate),
        hasContact: try container.decodeIfPresent(Bool.self, forKey: .contact),
        energy: try container.decodeIfPresent(Int.self, forKey: .energy),
        intervals: try container.decode([Double].self, forKey: .intervals))
      latest = (measurement, try container.decode(SystemClocks.self, forKey: .clocks))
    }
    beats = try container.decode(RecentBeats.self, forKey: .beats)
    if let rssi = try container.decodeIfPresent(Int.self, forKey: .rssi) {
      signal = HeardSignal(
        monitor: address, rssi: rssi, time: try container.decode(ReceiptTime.self, forKey: .heardAt))
    }
    problems = try container.decode(MonitorProblems.self, forKey: .problems)
    tally = try container.decodeIfPresent(MonitorTally.self, forKey: .tally)
  }
}

/// The JSON object uses the names of `hrgate monitors gaps --json`.
extension ClockError: Codable {
  private enum CodingKeys: CodingKey {
    case clockAhead, start, end, atLeast
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ahead / .seconds(1), forKey: .clockAhead)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
    try container.encode(isAtLeast, forKey: .atLeast)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let seconds = try container.decode(Double.self, forKey: .clockAhead)
    guard let microseconds = Int64(exactly: (seconds * 1e6).rounded()) else {
      throw DecodingError.dataCorruptedError(
        forKey: .clockAhead, in: container, debugDescription: "not a number of seconds: \(seconds)")
    }
    self.init(
      start: try container.decode(ReceiptTime.self, forKey: .start),
      end: try container.decode(ReceiptTime.self, forKey: .end), ahead: .microseconds(microseconds),
      isAtLeast: try container.decode(Bool.self, forKey: .atLeast))
  }
}
