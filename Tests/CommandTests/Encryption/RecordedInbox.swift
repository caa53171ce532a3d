import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthStorage
import Ingestion
import Testing

@testable import TestSupport

/// What three straps have sent while an encrypted store was locked. Each run of the gateway that recorded it
/// begins with a clock setting, which is a commit of its own. Every other run was killed.
struct RecordedInbox {
  private static let straps = (1...3).map { BluetoothAddress(bits: 0xC0FF_EE00_0000 + $0, kind: .random) }
  static let runs = 40
  private static let seconds = 20

  var measurements: Int { Self.runs * Self.seconds * Self.straps.count }
  /// A gap of each strap after each run.
  var gaps: Int { Self.runs * Self.straps.count }
  private(set) var entries = 0
  private let inbox: SealedInbox
  private let start = Int64(Date().timeIntervalSince1970 - 86_400) * 1_000_000

  /// Enrolls the straps, encrypts the store, locks it, and records.
  init(_ store: EncryptionStore) async throws {
    // In a scope of its own, because an open store is not encrypted.
    do {
      let registry = try MonitorRegistry(HKHealthStore(storeAt: store.path))
      for (number, strap) in Self.straps.enumerated() {
        try await registry.enrol(
          EnrolledMonitor(
            address: strap, name: "Strap \(number)", isBonded: false,
            enrolled: ReceiptTime(microsecondsSince1970: start)))
      }
    }
    #expect(try store.encrypt().status == 0)
    #expect(try store.run("store", "lock").status == 0)
    inbox = try #require(try SealedInbox(ofStoreAt: store.path))
    for run in 0..<Self.runs { try record(run) }
  }

  private mutating func record(_ run: Int) throws {
    func time(_ second: Double) -> ReceiptTime {
      ReceiptTime(microsecondsSince1970: start + Int64(run * 30) * 1_000_000 + Int64(second * 1e6))
    }
    let setting = ClockSetting(boot: "boot", origin: ReceiptTime(microsecondsSince1970: start - 1_000_000))
    try append([.began(setting, now: time(0), wall: time(0))])
    var records = Self.straps.map { SealedRecord.event(.connected(.address($0), time(0))) }
    for second in 1...Self.seconds {
      for (number, strap) in Self.straps.enumerated() {
        let rate = UInt16(60 + (second * 7 + number * 3 + run) % 50)
        let notification = ValueNotification(
          peripheral: .address(strap), characteristic: .heartRateMeasurement,
          value: HeartRateMeasurement(heartRate: rate, rrTicks: [1024]).encoded,
          receiptTime: time(Double(second) + Double(number) / 10))
        records.append(.event(.notified(notification)))
      }
      guard second % 5 == 0 else { continue }
      try append(records)
      records = []
    }
    if run % 2 == 0 { try append([.ended(time(25))]) }
  }

  private mutating func append(_ records: [SealedRecord]) throws {
    _ = try inbox.append(SealedRecords.encode(records))
    entries += 1
  }
}

extension EncryptionStore {
  var hasInbox: Bool { FileManager.default.fileExists(atPath: path + "-inbox") }
}

extension [String: Any] {
  var inboxEntries: Int { (self["inbox"] as? [String: Any])?["entries"] as? Int ?? 0 }
}
