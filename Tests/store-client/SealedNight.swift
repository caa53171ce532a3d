import Bluetooth
import Gateway
import HealthKit
import HealthStorage
import Ingestion
import StrapSimulator

/// Measurements of simulated straps for the inbox of an encrypted store. They are written at once, with an
/// entry for every four seconds of measurements, as a gateway writes them.
struct SealedNight {
  let straps: Int
  let duration: Duration

  private var profiles: [StrapProfile] { (0..<straps).map(StrapProfile.sample(index:)) }
  private var start: ReceiptTime {
    ReceiptTime(
      microsecondsSince1970: SystemClocks.now().wall.microsecondsSince1970
        - duration.components.seconds * 1_000_000)
  }

  /// Enrolls the straps. The store must not be locked.
  func enrol(in store: HKHealthStore) async throws {
    let registry = try MonitorRegistry(store)
    for strap in profiles {
      try await registry.enrol(
        EnrolledMonitor(address: strap.address, name: strap.name, isBonded: false, enrolled: start))
    }
  }

  /// Writes the entries and prints the number of measurements in them.
  func seal(storeAt path: String) async throws {
    guard let inbox = try SealedInbox(ofStoreAt: path) else {
      throw HKError(.errorInvalidArgument, reason: "\(path) is not an encrypted store")
    }
    let start = start
    func append(_ records: [SealedRecord]) throws { _ = try inbox.append(SealedRecords.encode(records)) }
    try append([.began(ClockSetting(boot: "boot", origin: start), now: start, wall: start)])
    let interval: Int64 = 4_000_000
    var records: [SealedRecord] = []
    var (measurements, last, due) = (0, start, start.microsecondsSince1970 + interval)
    let central = SimulatedCentral(straps: profiles, duration: duration, seed: 1, start: start)
    for try await batch in central.events() {
      for event in batch {
        if let time = event.time { last = time }
        if last.microsecondsSince1970 >= due, !records.isEmpty {
          try append(records)
          records = []
          due = last.microsecondsSince1970 + interval
        }
        records.append(.event(event))
        if case .notified = event { measurements += 1 }
      }
    }
    if !records.isEmpty { try append(records) }
    try append([.ended(last)])
    StoreClient.say("\(measurements)")
  }
}
