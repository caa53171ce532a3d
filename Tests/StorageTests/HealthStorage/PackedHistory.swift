import Foundation
import GRDB

@testable import HealthStorage
@testable import TestSupport

/// Applies the same random history to two stores. One is compacted at random points, the other has rows only.
struct PackedHistory {
  static let sources = ["org.hrgate.monitor.a", "org.hrgate.monitor.b", "app"]
  /// The monitor address in the first source's identifier.
  static let monitor = "a"
  static let types = ["t", "u"]
  static let mark = "mark"
  static let application = "app"
  static let hours: Int64 = 4

  /// The store that has rows only.
  let rows: SampleDatabase
  let both: SampleDatabase
  var generator: SeededGenerator
  private(set) var uuids: [UUID] = []
  private(set) var containers: [UUID] = []
  /// The number of samples that were compacted.
  private(set) var packed = 0
  private var setting = ClockSettingRecord(id: 1, boot: "b", origin: 0, start: packedHour)

  /// - Parameter both: the store that is compacted; nil for one in memory.
  init(seed: UInt64, both: SampleDatabase? = nil) async throws {
    generator = SeededGenerator(seed: seed)
    (rows, self.both) = (try SampleDatabase.inMemory(), try both ?? SampleDatabase.inMemory())
    // The anchors of a store contain its token, so both stores get the same one.
    for store in [rows, self.both] {
      try await store.writer.write { try $0.execute(sql: "UPDATE store_identity SET token = 'one'") }
      try await store.save(MonitorChangesRecord(clock: ClockChangesRecord(settings: [setting])))
      try await store.decide(
        ["t": Permission(share: true, read: true), "u": Permission(share: true, read: false)],
        for: Self.application, named: "", at: 0)
    }
    // Start with segments, so that all later steps find some.
    for _ in 0..<4 { _ = await saveBurst(of: 70) }
    _ = await saveOddments()
    _ = try await pack()
  }

  /// Does the next random step in both stores.
  /// - Returns: The step and the results of both stores, which must be equal; nil for a compaction.
  mutating func step() async throws -> (what: String, rows: String, both: String)? {
    switch Int.random(in: 0..<28, using: &generator) {
    case 0..<5: await saveBurst(of: choice([5, 20, 70]))
    case 5: await saveOddments()
    case 6: try await saveAgain()
    case 7: try await saveNew()
    case 8: try await deleteSome()
    case 9: await deleteMatching()
    case 10, 11, 12: try await associate()
    case 13: try await attach()
    case 14, 15: try await choose()
    case 16: await decide()
    case 17: await correctClock()
    case 18, 19: try await keepSummaries()
    case 20, 21, 22, 23: await saveMeasured()
    default: try await pack()
    }
  }

  // MARK: - Steps

  private func answers<Value: Sendable>(
    _ what: String, _ body: @Sendable (SampleDatabase) async throws -> Value
  ) async -> (what: String, rows: String, both: String) {
    (what, await answer(rows, body), await answer(both, body))
  }

  private mutating func pack() async throws -> (what: String, rows: String, both: String)? {
    for hour in try await both.packableHours(in: 0..<Int64.max / 2)
    where Int.random(in: 0..<3, using: &generator) > 0 {
      if case .packed(let count, _, _, _) = try await both.packHour(hour) { packed += count }
    }
    return nil
  }

  /// Returns samples of one kind and hour.
  private mutating func burst(_ count: Int) -> [SampleRecord] {
    let source = choice(Self.sources)
    let type = choice(Self.types)
    var device = DeviceRecord()
    device.name = "d"
    let provenance = provenance(source: source, device: choice([nil, device]))
    let metadata = choice([
      nil, nil, EncodedMetadata([Self.mark: .boolean(true)]), EncodedMetadata(["n": .boolean(false)]),
    ])
    let unit = choice(["u", "u", "u", "v"])
    let hour = packedHour + Int64.random(in: 0..<Self.hours, using: &generator) * HourSummary.length
    // Use only a few start times, so that segments overlap.
    let first = hour + Int64.random(in: 0..<6, using: &generator) * 20_000_000
    let step = choice([1_000_000, 5_000_000, 0] as [Int64])
    let lasting = choice([0, 0, 1_500_000] as [Int64])
    return (0..<count).map { place in
      let start = first + Int64(place) * step
      let value = Double(Int.random(in: 40...200, using: &generator))
      var record = record(
        value, at: start, lasting: lasting, type: type, uuid: gatewayUUID(end: start + lasting, &generator),
        from: provenance, metadata: metadata)
      record.content = .quantity(value: value, unit: unit)
      return record
    }
  }

  private mutating func saveBurst(of count: Int) async -> (what: String, rows: String, both: String) {
    let records = burst(count)
    remember(records)
    let isRecorded = Int.random(in: 0..<4, using: &generator) == 0
    return await answers("save") { store in
      var changes = MonitorChangesRecord()
      changes.isRecorded = isRecorded
      return try await store.save(records, with: changes)
    }
  }

  /// Saves samples that are not compacted, because they are not quantities of a gateway.
  private mutating func saveOddments() async -> (what: String, rows: String, both: String) {
    let start = packedHour + Int64.random(in: 0..<Self.hours * 3600, using: &generator) * 1_000_000
    var records = [
      record(50, at: start, uuid: uuid()),
      record(
        60, at: start, uuid: uuid(),
        metadata: EncodedMetadata(
          ["s": .boolean(true)],
          sync: EncodedMetadata.Sync(
            identifier: choice(["i", "j"]), version: Int64.random(in: 0..<9, using: &generator)))),
      SampleRecord(
        uuid: uuid(), type: "c", start: start, end: start + 7_200_000_000, provenance: provenance(),
        content: .category(3)),
    ]
    let container = SampleRecord(
      uuid: uuid(), type: "w", start: start, end: start + 1_000_000, provenance: provenance(source: "app"),
      content: .archive([1, 2, 3]))
    containers.append(container.uuid)
    let quantities = (0..<3).map {
      SeriesQuantity(start: start + $0 * 700_000, end: start + $0 * 700_000, value: Double($0))
    }
    let series = QuantitySeries(
      unit: "u", value: 1, count: 3, minimum: 0, maximum: 2, latest: quantities[2],
      quantities: QuantitySeriesCodec.encode(quantities, from: start))
    records += [
      container,
      SampleRecord(
        uuid: uuid(), type: "t", start: start, end: start + 1_400_000, provenance: provenance(),
        content: .quantitySeries(series)),
    ]
    if let held = uuids.randomElement(using: &generator),
      let known = try? await rows.samples(.uuids([held]), order: []),
      let held = known.first, case .quantity = held.content
    {
      // A correlation may have a stored sample as its member.
      records.append(
        SampleRecord(
          uuid: uuid(), type: "k", start: start, end: start, provenance: provenance(),
          content: .correlation([held])))
    }
    remember(records)
    return await answers("save others") { [records] in try await $0.saveNew(records) }
  }

  private mutating func saveAgain() async throws -> (what: String, rows: String, both: String) {
    let known = try await some(5)
    let records = burst(3) + known
    return await answers("save what is stored") { try await $0.save(records) }
  }

  private mutating func saveNew() async throws -> (what: String, rows: String, both: String) {
    let new = burst(20)
    remember(new)
    let records = try await some(8) + new
    return await answers("save what is new") { try await $0.saveNew(records) }
  }

  private mutating func deleteSome() async throws -> (what: String, rows: String, both: String) {
    let some = try await some(4)
    let source = some.first?.provenance.revision.source.bundleIdentifier ?? "app"
    let own = some.filter { $0.provenance.revision.source.bundleIdentifier == source }.map(\.uuid)
    let all = Bool.random(using: &generator) ? own : some.map(\.uuid)
    return await answers("delete") { try await $0.delete(all, savedBy: source) }
  }

  private mutating func deleteMatching() async -> (what: String, rows: String, both: String) {
    let hour = packedHour + Int64.random(in: 0..<Self.hours, using: &generator) * HourSummary.length
    let start = hour + Int64.random(in: 0..<150, using: &generator) * 1_000_000
    let filter = SampleFilter.all([
      .type(choice(Self.types)), .startsFrom(start), .startsBefore(start + 9_000_000),
    ])
    let source = choice(Self.sources)
    guard Bool.random(using: &generator) else {
      return await answers("delete by filter") { try await $0.delete(filter, savedBy: source) }
    }
    return await answers("delete matching") {
      try await $0.deleteMatching(filter, inTransactionsOf: 7) { _ in true }
    }
  }

  private mutating func associate() async throws -> (what: String, rows: String, both: String) {
    let members = try await some(3).map(\.uuid)
    let container = containers.randomElement(using: &generator) ?? UUID()
    guard Bool.random(using: &generator), let member = members.first else {
      return await answers("associate") {
        try await $0.save([], associating: members, with: container, ofType: "w")
      }
    }
    return await answers("relate") { try await $0.save([], relating: member, to: container, part: nil) }
  }

  private mutating func attach() async throws -> (what: String, rows: String, both: String) {
    let sample = try await some(1).first
    let file = AttachmentRecord(
      uuid: uuid(), name: "n", contentType: "c", size: 1, created: 0, metadata: nil)
    return await answers("attach") { store in
      let owner = SampleDatabase.AttachmentOwner(
        sample: sample?.uuid ?? UUID(),
        savedBy: sample?.provenance.revision.source.bundleIdentifier ?? "", ofTypes: ["t", "u"],
        protection: ProtectedType.type)
      return try await store.attach(file, Data([1]), to: owner, greatestCount: 2)
    }
  }

  private mutating func choose() async throws -> (what: String, rows: String, both: String) {
    let objects = try await some(3).map(\.uuid)
    let readable = Set(objects.prefix(2))
    let request = PermissionRequest(
      application: ApplicationRecord(bundleIdentifier: Self.application, name: ""), shareDescription: nil,
      readDescription: nil, share: [], read: [], objects: objects)
    let isAsked = Bool.random(using: &generator)
    return await answers("choose objects") { store in
      let id = isAsked ? try await store.ask(request, at: 1) : nil
      try await store.answer(request, id, [:], readable: readable, at: 2)
      return try await store.permissions()
    }
  }

  private mutating func decide() async -> (what: String, rows: String, both: String) {
    let permission = Permission(share: true, read: Bool.random(using: &generator))
    let type = choice(Self.types)
    return await answers("decide") {
      try await $0.decide([type: permission], for: Self.application, named: "", at: 0)
    }
  }

  private mutating func correctClock() async -> (what: String, rows: String, both: String) {
    setting.ahead = Int64.random(in: 0...3, using: &generator) * 1_000_000
    let length = Int64.random(in: 0..<2 * HourSummary.length, using: &generator)
    let correction = ClockCorrectionRecord(
      setting: 1, ahead: setting.ahead, times: packedHour...packedHour + length, shift: 0)
    let changes = MonitorChangesRecord(
      clock: ClockChangesRecord(settings: [setting], corrections: [correction]))
    return await answers("correct the clock") { try await $0.save(changes) }
  }

  /// Stores summaries with random values for random hours in both stores: the one with segments and the one
  /// with rows. Later changes must delete the same summaries in both.
  private mutating func keepSummaries() async throws -> (what: String, rows: String, both: String) {
    let type = choice(Self.types)
    let last = try await rows.lastChange()
    let position = Int64.random(in: choice([0, max(0, last - 100)])...last, using: &generator)
    let hours = (0..<Self.hours).map { hour in
      let start = packedHour + hour * HourSummary.length
      let figures = HourSummary.Figures(
        count: 1, first: start, last: start, least: 1, greatest: 1, weightedSum: 1, weight: 1, covered: 0,
        latest: 1, latestStart: start, latestEnd: start)
      return HourSummary(
        start: start, unit: 1, all: figures, bySource: [.init(source: 1, figures: figures)])
    }
    return await answers("keep summaries") { store in
      let kept = try await store.keptHours(ofType: type)
      try await store.forgetSummaries()
      try await store.keep(hours, ofType: type, readAt: position)
      return [kept, try await store.keptHours(ofType: type)]
    }
  }

  /// Saves measurements of a monitor in any order. Some of them may be stored already.
  private mutating func saveMeasured() async -> (what: String, rows: String, both: String) {
    var measured: [MeasuredQuantities] = []
    for _ in 0..<Int.random(in: 1...2, using: &generator) { measured.append(quantities()) }
    var identity = MeasuredIdentity(monitor: Self.monitor)
    uuids += measured.flatMap { columns in columns.starts.indices.map { columns.uuid(at: $0, &identity) } }
    let series = burst(1)
    return await answers("save measured") { [measured, rows] store in
      try await store.save(series, measured: measured, as: store === rows ? .rows : .segments)
    }
  }

  private mutating func quantities() -> MeasuredQuantities {
    let isEnergy = Int.random(in: 0..<4, using: &generator) == 0
    let metadata = choice([nil, nil, EncodedMetadata([Self.mark: .boolean(true)])])
    // The UUID of a heart rate does not depend on its type, so heart rates have only one type here.
    var columns = MeasuredQuantities(
      MeasuredKind(
        type: isEnergy ? choice(Self.types) : "t", unit: "u", provenance: provenance(source: Self.sources[0]),
        metadata: metadata, monitor: Self.monitor))
    let hour = packedHour + Int64.random(in: 0..<Self.hours, using: &generator) * HourSummary.length
    var start = hour + Int64.random(in: 0..<60, using: &generator) * 60_000_000
    let step = choice([1_000_000, 1_000_000, 1_000_000, 0, -1_000_000] as [Int64])
    for place in 0..<choice([3, 70, 200]) {
      let value = Double(Int64(60) + start / 1_000_000 % 7)
      if isEnergy {
        let end = start + 900_000
        columns.append(value, from: start, to: end, uuid: gatewayUUID(end: end, &generator))
      } else {
        columns.append(heartRate: value, at: start, occurrence: step == 0 ? UInt32(place) : 0)
      }
      start += step
    }
    return columns
  }

  // MARK: - Choices

  mutating func choice<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  mutating func uuid() -> UUID { UUID(words: (generator.next(), generator.next())) }

  /// Returns some of the saved samples. A few of them have been deleted.
  mutating func some(_ count: Int) async throws -> [SampleRecord] {
    guard !uuids.isEmpty else { return [] }
    // Choose neighbors most of the time, because they are in one segment.
    let place = Int.random(in: 0..<uuids.count, using: &generator)
    let wanted = uuids[place..<min(place + count, uuids.count)]
    return try await rows.samples(.uuids(Set(wanted)), order: []).filter {
      if case .quantity = $0.content { true } else { false }
    }
  }

  private mutating func remember(_ records: [SampleRecord]) { uuids += records.map(\.uuid) }
}

/// Returns the result of a query as text, or the error.
func answer<Value: Sendable>(
  _ store: SampleDatabase, _ body: @Sendable (SampleDatabase) async throws -> Value
) async -> String {
  do {
    return "\(try await body(store))"
  } catch {
    return "\(error)"
  }
}
