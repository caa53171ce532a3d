import Foundation
import HealthKit
import HealthStorage
import HeartRateVariability
import Testing

@testable import HealthSystem
@testable import TestSupport

/// Tests the SDNN that is derived from stored beats for each five minutes.
@Suite struct VariabilityTests {
  private let store: HKHealthStore
  private let derivation: Derivation

  init() throws {
    store = try HKHealthStore.inMemory()
    derivation = try Derivation(store) { .gmt }
  }

  private func sdnns(of recording: MarkedRecording) -> [Double] {
    WindowPlan.fiveMinutes.windows(of: recording).compactMap {
      try? recording.nn(in: $0).timeDomain().sdnn
    }
  }

  @Test func `five minutes of clean beats give the module's figure, with its source`()
    async throws
  {
    let heart = Heart(beats: 1100)
    try await heart.save(in: store)
    let tally = try await derivation.catchUp()
    let samples = try await store.samples(.variability)
    #expect(try await store.variability() == sdnns(of: heart.recording))
    #expect(samples.count == 3 && tally == DerivationTally(3, 0, 0, 0))
    let first = try #require(samples.first)
    #expect(first.startDate == Date(timeIntervalSince1970: begin))
    #expect(first.endDate == Date(timeIntervalSince1970: begin + 300))
    #expect(first.sourceRevision.source == DerivedSource.source)
    let metadata = try #require(first.metadata)
    #expect(metadata[HKMetadataKeyAlgorithmVersion] as? Int == DerivedSource.algorithmVersion)
    #expect(metadata["org.hrgate.derived-from"] as? String == "com.example.strap")
    #expect(metadata["org.hrgate.coverage"] as? Double ?? 0 > 0.99)
    #expect(metadata["org.hrgate.artefacts"] as? Double == 0)
  }

  @Test func `unchanged figures are not written again, and no subscriber is notified`() async throws {
    try await Heart(beats: 1100).save(in: store)
    _ = try await derivation.catchUp()
    let before = try await store.samples(.variability).map(\.uuid)
    let last = try await derivation.database.lastChange()
    #expect(try await derivation.catchUp() == DerivationTally())
    let rederived = try await derivation.derive(from: .distantPast, to: nil)
    #expect(rederived == DerivationTally(0, 0, 0, 3))
    #expect(try await store.samples(.variability).map(\.uuid) == before)
    #expect(try await derivation.database.lastChange() == last)
  }

  @Test func `late beats replace the figures that they change, and no others`() async throws {
    let heart = Heart(beats: 1100)
    let parts = try heart.parts
    let strap = store.acting(as: heart.source)
    try await strap.save([parts[0], parts[1], parts[3]])
    _ = try await derivation.catchUp()
    let before = try await store.samples(.variability)
    try await strap.save([parts[2]])
    let tally = try await derivation.catchUp()
    #expect(tally.written + tally.replaced > 0 && tally.withdrawn == 0)
    #expect(try await store.variability() == sdnns(of: heart.recording))
    // The change affects only later windows, so the SDNN of the first five minutes is kept.
    #expect(try await store.samples(.variability).first?.uuid == before.first?.uuid)
  }

  @Test func `a figure is deleted with its beats, and derived again with them`() async throws {
    let heart = Heart(beats: 1100)
    let parts = try heart.parts
    let strap = store.acting(as: heart.source)
    try await strap.save(parts)
    _ = try await derivation.catchUp()
    try await strap.delete(parts[1])
    #expect(try await derivation.catchUp().withdrawn > 0)
    let rest = Cleaning.usual.mark(
      MergedSegments([parts[0], parts[2], parts[3]].flatMap { $0.segments ?? [] }).segments)
    #expect(try await store.variability() == sdnns(of: rest))
    try await strap.delete([parts[0], parts[2], parts[3]])
    _ = try await derivation.catchUp()
    #expect(try await store.variability().isEmpty)
    try await heart.save(in: store)
    #expect(try await derivation.catchUp() == DerivationTally(3, 0, 0, 0))
    #expect(try await store.variability() == sdnns(of: heart.recording))
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `in any order of additions and deletions, the figures match the stored beats`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let heart = Heart(beats: 2400, phase: Double(seed))
    let strap = store.acting(as: heart.source)
    var waiting = try heart.parts.shuffled(using: &random)
    var stored: [HKHeartbeatSeriesSample] = []
    while !waiting.isEmpty {
      let some = waiting.prefix(Int.random(in: 1...3, using: &random))
      waiting.removeFirst(some.count)
      try await strap.save(Array(some))
      stored += some
      if Bool.random(using: &random), let gone = stored.randomElement(using: &random) {
        try await strap.delete(gone)
        stored.removeAll { $0.uuid == gone.uuid }
        waiting.append(try #require(try heart.parts.first { $0.startDate == gone.startDate }))
      }
      if Bool.random(using: &random) { _ = try await derivation.catchUp() }
    }
    _ = try await derivation.catchUp()
    let other = try HKHealthStore.inMemory()
    try await heart.save(in: other)
    _ = try await Derivation(other) { .gmt }.catchUp()
    let figures = try await store.figures(.variability)
    #expect(try await figures == other.figures(.variability) && figures.count == 7)
    #expect(try await derivation.derive(from: .distantPast, to: nil).changes == 0)
  }

  @Test func `figures do not depend on the parts in which beats are stored`() async throws {
    var heart = Heart(beats: 2400)
    // Add artifacts at and around the edges of windows. Their detection must not depend on where a series
    // begins.
    for beat in [340, 351, 690, 1020, 1700, 1701] { heart.ticks[beat] += 500 }
    try await heart.save(in: store)
    _ = try await derivation.catchUp()
    let other = try HKHealthStore.inMemory()
    try await other.acting(as: heart.source).save([try heart.single])
    _ = try await Derivation(other) { .gmt }.catchUp()
    let figures = try await store.figures(.variability)
    #expect(try await figures == other.figures(.variability) && figures.count == 7)
    #expect(try await store.variability() == sdnns(of: heart.recording))
  }

  @Test func `of two straps the one with most of the five minutes counts`() async throws {
    var other = Heart(beats: 330, phase: 3)
    other.source = HKSource(name: "A", bundleIdentifier: "com.example.a")
    try await other.save(in: store)
    _ = try await derivation.catchUp()
    #expect(try await store.figures(.variability).map(\.origin) == ["com.example.a"])
    let heart = Heart(beats: 700)
    try await heart.save(in: store)
    #expect(try await derivation.catchUp() == DerivationTally(1, 1, 0, 0))
    #expect(
      try await store.figures(.variability).map(\.origin) == ["com.example.strap", "com.example.strap"])
  }

  @Test func `an imported figure is replaced by the one derived from its beats`()
    async throws
  {
    let heart = Heart(beats: 400)
    try await heart.save(in: store)
    let foreign = DerivedFigure(
      kind: .variability, syncIdentifier: VariabilityWindow(number: Int(begin / 300)).syncIdentifier,
      value: 7, start: Date(timeIntervalSince1970: begin), end: Date(timeIntervalSince1970: begin + 300),
      device: nil, metadata: [:])
    try await store.acting(as: DerivedSource.source).save(foreign.sample(version: 1 << 40))
    #expect(try await derivation.catchUp() == DerivationTally(0, 1, 0, 0))
    #expect(try await store.variability() == sdnns(of: heart.recording))
  }

  @Test func `an application with permission sees the figures, also as hourly statistics`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let system = try HKHealthStore(storeAt: path)
    let heart = Heart(beats: 5000)
    try await heart.save(in: system)
    _ = try await Derivation(system) { .gmt }.catchUp()
    let name = "org.example.reader"
    let application = try HKHealthStore(
      configuration: .init(
        location: .file(path),
        application: .init(
          bundleIdentifier: name, name: "Reader", entitlements: .init(healthKit: true),
          healthShareUsageDescription: "To chart your heart.")))
    func permit(_ type: HKObjectType, _ isPermitted: Bool) async throws {
      try await SystemStore(system).setPermission(share: nil, read: isPermitted, on: [type], for: name)
    }
    func averages() async throws -> [Double] {
      let collection = try await HKStatisticsCollectionQueryDescriptor(
        predicate: .quantitySample(type: HKQuantityType(.heartRateVariabilitySDNN)),
        options: .discreteAverage, anchorDate: Date(timeIntervalSince1970: begin),
        intervalComponents: DateComponents(hour: 1)
      ).result(for: application)
      return collection.statistics().compactMap {
        $0.averageQuantity()?.doubleValue(for: .secondUnit(with: .milli))
      }
    }
    let type = HKQuantityType(.heartRateVariabilitySDNN)
    // Permission to read beats does not include permission to read the SDNN samples that are derived from
    // them.
    try await permit(HKSeriesType.heartbeat(), true)
    try await permit(type, false)
    #expect(try await averages().isEmpty)
    try await permit(type, true)
    let expected = sdnns(of: heart.recording)
    let found = try await averages()
    #expect(found.count == 2 && expected.count == 14)
    #expect(abs((found.first ?? 0) - expected[..<12].reduce(0, +) / 12) < 1e-9)
  }

  @Test func `a figure that another program has already deleted is no error`() async throws {
    try await Heart(beats: 1100).save(in: store)
    _ = try await derivation.catchUp()
    let window = VariabilityWindow(number: Int(begin / 300))
    let stored = try await store.derivedSamples(.variability, from: window.start, to: window.start + 900)
    #expect(stored.count == 3)
    let keeping = FigureKeeping(store)
    try await store.acting(as: DerivedSource.source).delete([try #require(stored.values.first)])
    #expect(try await keeping.keep([], inPlaceOf: stored, asOf: .max) == DerivationTally(0, 0, 2, 0))
    #expect(try await keeping.keep([], inPlaceOf: stored, asOf: .max) == DerivationTally(0, 0, 0, 0))
  }
}
