import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// A store that was encrypted has the same content and gives the same answers as the plain one.
///
/// `EncryptionHistoryTests` writes to both. It has no series, electrocardiograms, routes, preferences or
/// monitors, and reads no attachments.
@Suite(.enabled(if: hasKeyring, withoutKeyring), .timeLimit(.minutes(30))) struct EncryptionQueryTests {
  @Test func `after encryption and decryption every table has the same rows, and each query the same answer`()
    async throws
  {
    for seed in EncryptionHistoryTests.seeds {
      let fixture = try await EncryptedStoreFixture([], isEncrypted: false)
      let plain = try SampleDatabase.open(at: fixture.path)
      var history = try await PackedHistory(seed: seed, both: plain)
      for _ in 0..<12 { _ = try await history.step() }
      var others = OtherRecords(generator: history.generator)
      try await others.save(to: plain)
      let tables = try await plain.everyTable()
      #expect(tables.count > 20)
      let questions = try await Self.questions(history, others)
      var answers: [String] = []
      for (_, ask) in questions { answers.append(await answer(plain, ask)) }
      try plain.close()

      try fixture.encrypt()
      let encrypted = try SampleDatabase.open(at: fixture.path)
      #expect(try await encrypted.everyTable() == tables, "seed \(seed)")
      for ((what, ask), expected) in zip(questions, answers) {
        #expect(await answer(encrypted, ask) == expected, "seed \(seed): \(what)")
      }
      // The same after more writes to the encrypted file.
      try await others.save(to: encrypted)
      let later = try await encrypted.everyTable()
      #expect(later != tables)
      try encrypted.close()

      try StoreEncryption.decrypt(fixture.path)
      let decrypted = try SampleDatabase.open(at: fixture.path)
      #expect(try await decrypted.everyTable() == later, "seed \(seed)")
      try decrypted.close()
    }
  }

  private static func questions(
    _ history: PackedHistory, _ others: OtherRecords
  ) async throws -> [PackedQuestions.Question] {
    var packed = try await PackedQuestions(history)
    return packed.some(.max) + others.questions
  }
}

extension SampleDatabase {
  /// Returns the rows of each table as text.
  fileprivate func everyTable() async throws -> [String: [String]] {
    try await read { database in
      let names = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      return try Dictionary(
        uniqueKeysWithValues: names.map { name in
          (name, try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\"").map { "\($0)" }.sorted())
        })
    }
  }
}

/// Random records of the kinds that `PackedHistory` does not have.
private struct OtherRecords {
  private static let monitor = AddressRecord(text: "C0:FF:EE:00:00:01", kind: 1)

  var generator: SeededGenerator
  private var series: [UUID] = []
  private var attachment = UUID()
  private var holder = UUID()

  init(generator: SeededGenerator) { self.generator = generator }

  private mutating func uuid() -> UUID { UUID(words: (generator.next(), generator.next())) }

  private mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &generator) }

  private mutating func record(_ type: String, _ content: SampleRecord.Content) -> SampleRecord {
    let start = packedHour + number(0...86_400) * 1_000_000
    let record = SampleRecord(
      uuid: uuid(), type: type, start: start, end: start + 60_000_000, provenance: provenance(),
      metadata: EncodedMetadata(["text": .string("row \(number(0...9))")]), content: content)
    series.append(record.uuid)
    return record
  }

  /// Some are longer than a page, so that SQLite stores them in overflow pages.
  private mutating func records() -> [SampleRecord] {
    var records: [SampleRecord] = []
    for length in [1, 40, 3_000] {
      let beats = (0..<length).map { Heartbeat(offset: Double($0) * 0.83, precededByGap: $0 % 7 == 0) }
      records.append(
        record("beats", .heartbeatSeries(count: length, beats: HeartbeatCodec.encode(beats))))
      let locations = (0..<length).map { index in
        LocationRecord(
          timestamp: Double(index), latitude: 50 + Double(index) / 1e4, longitude: 8, altitude: 100,
          horizontalAccuracy: 5, verticalAccuracy: 5, course: 10, courseAccuracy: 1, speed: 3,
          speedAccuracy: 1)
      }
      records.append(
        record("route", .locationSeries(count: length, locations: LocationCodec.encode(locations))))
      let volts = (0..<length).map { _ in Double?(Double.random(in: -1...1, using: &generator)) }
      let voltages = VoltageRecord(
        times: (0..<length).map { Double($0) / 512 },
        leads: [LeadRecord(lead: 1, unit: "mV", voltages: volts)])
      let archive = Array(repeating: UInt8(7), count: length)
      records.append(
        record("ecg", .recording(archive: archive, voltages: VoltageCodec.encode(voltages))))
      records.append(record("document", .archive(Array(repeating: UInt8(length % 256), count: length * 3))))
    }
    return records
  }

  /// Saves other records each time.
  mutating func save(to store: SampleDatabase) async throws {
    let records = records()
    try await store.save(records)
    let owner = SampleDatabase.AttachmentOwner(
      sample: records[0].uuid, savedBy: "s", ofTypes: ["beats"], protection: ProtectedType.type)
    (holder, attachment) = (records[0].uuid, uuid())
    // Two pieces.
    let bytes = Data((0..<AttachmentRecord.pieceSize + 1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    #expect(
      try await store.attach(
        AttachmentRecord(
          uuid: attachment, name: "n", contentType: "c", size: bytes.count, created: 1, metadata: nil),
        bytes, to: owner, greatestCount: 3))
    try await store.setCharacteristic("birth", to: number(0...1000))
    try await store.setPreferredUnit(of: "t", to: "u\(number(0...100))")
    try await store.setActivityGoal(
      ActivityGoalRecord(measure: "energy", day: number(20_260_101...20_261_231), value: 400))
    try await store.setMedication("m\(number(0...1000))", to: Data([1, 2, 3]))
    try await store.enableDelivery(
      of: "t", frequency: Int(number(1...4)), to: ApplicationRecord(bundleIdentifier: "app", name: "App"),
      LaunchRecord(unit: nil, executable: "/usr/bin/true"))
    try await store.enrol(MonitorRecord(address: Self.monitor, isBonded: true, enrolled: number(1...1000)))
    var changes = MonitorChangesRecord()
    for _ in 0..<5 {
      let start = packedHour + number(0...1_000_000) * 1_000_000
      changes.gaps.append(
        MonitorGapRecord(
          monitor: Self.monitor, start: start, end: start + 5_000_000, cause: "link-lost", lost: nil))
    }
    var status = MonitorStatusRecord(address: Self.monitor)
    status.battery = Int(number(1...100))
    status.description.name = "Strap"
    changes.statuses = [status]
    try await store.save(changes)
    try await store.setDerivedCursor(
      ChangeLogCursor(position: number(1...1000), mark: "one"), of: "test")
  }

  var questions: [PackedQuestions.Question] {
    let (series, attachment, holder) = (series, attachment, holder)
    return [
      (
        "series",
        { store in
          var found: [String] = []
          for uuid in series {
            found.append("\(String(describing: try await store.heartbeats(of: uuid)))")
            found.append("\(String(describing: try await store.locations(of: uuid)))")
            found.append("\(String(describing: try await store.voltages(of: uuid)))")
          }
          return found.joined(separator: "\n")
        }
      ),
      (
        "records of series",
        { "\(try await $0.samples(.uuids(Set(series)), order: [.start(ascending: true)]))" }
      ),
      (
        "attachments",
        { store in
          var found = "\(try await store.attachments(of: holder, protection: ProtectedType.type))"
          for place in 0..<3 {
            let piece = try await store.piece(
              place, ofAttachment: attachment, protection: ProtectedType.type)
            found += piece.map { "\(Array($0))" } ?? "none"
          }
          return found
        }
      ),
      ("characteristic", { "\(String(describing: try $0.characteristic("birth")))" }),
      ("units", { "\(try await $0.preferredUnits().sorted { $0.key < $1.key })" }),
      ("goals", { "\(String(describing: try await $0.activityGoals(of: "summary")))" }),
      ("medications", { "\(try await $0.medications(permittedAs: "m").map { Array($0) })" }),
      ("deliveries", { "\(try await $0.deliveries())" }),
      ("permissions", { "\(try await $0.permissions())" }),
      ("requests", { "\(try await $0.pendingRequests())" }),
      ("monitors", { "\(try await $0.monitors()) \(try await $0.monitorRevisions())" }),
      (
        "gaps",
        { store in
          var filter = MonitorGapFilter()
          let all = try await store.gaps(filter)
          (filter.from, filter.to, filter.limit) = (packedHour + 200_000_000_000, nil, 2)
          return "\(all) \(try await store.gaps(filter))"
        }
      ),
      ("clock", { "\(try await $0.clockSettings())" }),
      ("derived", { "\(String(describing: try await $0.derivedCursor(of: "test")))" }),
      ("latest start", { "\(String(describing: try await $0.latestStart(of: "t")))" }),
    ]
  }
}
