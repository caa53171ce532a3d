import HealthKit
import Testing

@Suite struct QueryTests {
  /// Samples in and around the window [100, 200): start and duration in seconds.
  private static let placed: [(start: Double, duration: Double)] = [
    (0, 0), (50, 49), (50, 50), (50, 51), (99, 0), (100, 0), (100, 10), (150, 50), (150, 49), (150, 500),
    (199, 0), (199, 1), (200, 0), (50, 500), (300, 5),
  ]

  private static func expected(_ options: HKQueryOptions, _ start: Double?, _ end: Double?) -> Set<Int> {
    let a = start ?? -.infinity
    let b = end ?? .infinity
    return Set(
      placed.indices.filter { index in
        let (from, to) = (placed[index].start, placed[index].start + placed[index].duration)
        let starts = from >= a && from < b
        let ends = to >= a && to < b
        return switch options {
        case .strictStartDate: starts
        case .strictEndDate: ends
        case [.strictStartDate, .strictEndDate]: starts && ends
        default: from < b && to >= a
        }
      })
  }

  @Test(
    arguments: StoreDepth.allCases,
    [[], .strictStartDate, .strictEndDate, [.strictStartDate, .strictEndDate]] as [HKQueryOptions])
  func `a date window matches by its options`(_ depth: StoreDepth, _ options: HKQueryOptions) async throws {
    try await depth.withStore { store in
      let samples = Self.placed.enumerated().map {
        heartRate(Double($0), at: $1.start, lasting: $1.duration)
      }
      try await store.save(samples)
      for (start, end) in [(100, 200), (nil, 200), (100, nil), (nil, nil)] as [(Double?, Double?)] {
        let predicate = HKQuery.predicateForSamples(
          withStart: start.map { moment($0) }, end: end.map { moment($0) }, options: options)
        let found = try await everyHeartRate(predicate).result(for: store).values.map { Int($0) }
        #expect(Set(found) == Self.expected(options, start, end))
        #expect(Set(samples.filter { predicate.evaluate(with: $0) }.values.map { Int($0) }) == Set(found))
      }
    }
  }

  @Test func `predicates for UUIDs, sources and devices`() async throws {
    let store = try HKHealthStore.inMemory()
    let sources = ["a", "b", "c"].map { HKSource(name: $0, bundleIdentifier: $0) }
    let device = HKDevice(
      name: "D", manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
      softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    var samples: [HKQuantitySample] = []
    for (index, source) in sources.enumerated() {
      let sample = heartRate(Double(index), at: Double(index), device: index == 1 ? device : nil)
      try await store.acting(as: source).save(sample)
      samples.append(sample)
    }
    func values(_ predicate: NSPredicate) async throws -> [Double] {
      try await everyHeartRate(predicate).result(for: store).values
    }
    #expect(try await values(HKQuery.predicateForObject(with: samples[1].uuid)) == [1])
    #expect(
      try await values(HKQuery.predicateForObjects(with: [samples[0].uuid, samples[2].uuid, UUID()])) == [
        0, 2,
      ])
    #expect(try await values(HKQuery.predicateForObjects(with: Set<UUID>())) == [])
    #expect(try await values(HKQuery.predicateForObjects(from: sources[2])) == [2])
    #expect(try await values(HKQuery.predicateForObjects(from: Set(sources[0...1]))) == [0, 1])
    #expect(try await values(HKQuery.predicateForObjects(from: [device])) == [1])
    let none = Set<HKDevice>()
    #expect(try await values(HKQuery.predicateForObjects(from: none)) == [])
  }

  @Test func `a very large set of UUIDs is one query`() async throws {
    let store = try HKHealthStore.inMemory()
    let sample = heartRate(60, at: 0)
    try await store.save(sample)
    let uuids = Set((0..<300_000).map { _ in UUID() }).union([sample.uuid])
    let found = try await everyHeartRate(HKQuery.predicateForObjects(with: uuids)).result(for: store)
    #expect(found == [sample])
  }

  @Test func `predicates can be combined`() async throws {
    let store = try HKHealthStore.inMemory()
    let samples = (0..<4).map { heartRate(Double($0), at: Double($0)) }
    try await store.save(samples)
    let one = HKQuery.predicateForObject(with: samples[1].uuid)
    let early = HKQuery.predicateForSamples(withStart: nil, end: moment(2))
    func values(_ predicate: NSPredicate) async throws -> [Double] {
      try await everyHeartRate(predicate).result(for: store).values
    }
    let cases: [(NSPredicate, [Double])] = [
      (NSCompoundPredicate(andPredicateWithSubpredicates: [one, early]), [1]),
      (
        NSCompoundPredicate(orPredicateWithSubpredicates: [
          one, HKQuery.predicateForObject(with: samples[3].uuid),
        ]), [1, 3]
      ),
      (NSCompoundPredicate(notPredicateWithSubpredicate: early), [2, 3]),
      (NSCompoundPredicate(andPredicateWithSubpredicates: []), [0, 1, 2, 3]),
      (NSPredicate(value: false), []),
      (NSPredicate(value: true), [0, 1, 2, 3]),
    ]
    for (predicate, expected) in cases {
      #expect(try await values(predicate) == expected)
      #expect(samples.filter { predicate.evaluate(with: $0) }.values == expected)
    }
  }

  @Test func `an unknown predicate is an invalid argument`() async throws {
    let store = try HKHealthStore.inMemory()
    let block = NSPredicate { _, _ in true }
    for predicate in [block, NSCompoundPredicate(notPredicateWithSubpredicate: block)] {
      do {
        _ = try await everyHeartRate(predicate).result(for: store)
        Issue.record("answered a block")
      } catch HKError.errorInvalidArgument {
      }
    }
  }

  @Test func `predicates are equal by value`() {
    let uuid = UUID()
    #expect(HKQuery.predicateForObject(with: uuid) == HKQuery.predicateForObject(with: uuid))
    #expect(HKQuery.predicateForObject(with: uuid) != HKQuery.predicateForObject(with: UUID()))
    let predicate = HKQuery.predicateForObject(with: uuid)
    #expect(predicate.copy() as? NSPredicate == predicate)
  }

  @Test func samplesAreSortedAndLimited() async throws {
    let store = try HKHealthStore.inMemory()
    let samples = [
      heartRate(3, at: 0, lasting: 9), heartRate(1, at: 1, lasting: 1), heartRate(2, at: 2, lasting: 4),
    ]
    try await store.save(samples.shuffled())
    func values(_ sort: SortDescriptor<HKQuantitySample>, _ limit: Int?) async throws -> [Double] {
      try await everyHeartRate(limit: limit, sorted: [sort]).result(for: store).values
    }
    #expect(try await values(SortDescriptor(\.startDate), nil) == [3, 1, 2])
    #expect(try await values(SortDescriptor(\.startDate, order: .reverse), 2) == [2, 1])
    #expect(try await values(SortDescriptor(\.endDate), nil) == [1, 2, 3])
    #expect(try await values(SortDescriptor(\.endDate, order: .reverse), 1) == [3])
    #expect(try await values(SortDescriptor(\.quantity.description), 2) == [1, 2])
    #expect(try await values(SortDescriptor(\.startDate), HKObjectQueryNoLimit) == [3, 1, 2])
  }

  @Test func aSampleQueryCallsItsHandlerOnce() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(1, at: 1), heartRate(2, at: 2), heartRate(3, at: 3)])
    let found = await withCheckedContinuation { done in
      store.execute(
        HKSampleQuery(
          sampleType: HKQuantityType(.heartRate), predicate: nil, limit: 2,
          sortDescriptors: [NSSortDescriptor(keyPath: \HKSample.startDate, ascending: false)]
        ) { _, samples, error in
          #expect(error == nil)
          done.resume(returning: samples as? [HKQuantitySample])
        })
    }
    #expect(found?.values == [3, 2])
  }

  /// Returns sort descriptors by date for each class of samples.
  private static func dateDescriptors() -> [(name: String, descriptors: [NSSortDescriptor])] {
    func make<Sample: HKSample>(_: Sample.Type) -> (String, [NSSortDescriptor]) {
      (
        "\(Sample.self)",
        [
          NSSortDescriptor(keyPath: \Sample.startDate, ascending: true),
          NSSortDescriptor(keyPath: \Sample.startDate, ascending: false),
          NSSortDescriptor(keyPath: \Sample.endDate, ascending: true),
          NSSortDescriptor(keyPath: \Sample.endDate, ascending: false),
        ]
      )
    }
    return [
      make(HKSample.self),
      make(HKQuantitySample.self),
      make(HKCumulativeQuantitySample.self),
      make(HKDiscreteQuantitySample.self),
      make(HKCategorySample.self),
      make(HKCorrelation.self),
      make(HKWorkout.self),
      make(HKSeriesSample.self),
      make(HKHeartbeatSeriesSample.self),
      make(HKWorkoutRoute.self),
      make(HKElectrocardiogram.self),
      make(HKAudiogramSample.self),
      make(HKDocumentSample.self),
      make(HKCDADocumentSample.self),
      make(HKClinicalRecord.self),
      make(HKVerifiableClinicalRecord.self),
      make(HKVisionPrescription.self),
      make(HKGlassesPrescription.self),
      make(HKContactsPrescription.self),
      make(HKStateOfMind.self),
      make(HKMedicationDoseEvent.self),
      make(HKScoredAssessment.self),
      make(HKGAD7Assessment.self),
      make(HKPHQ9Assessment.self),
    ]
  }

  @Test func `samples of all classes can be sorted by date`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([
      heartRate(3, at: 0, lasting: 9), heartRate(1, at: 1, lasting: 1), heartRate(2, at: 2, lasting: 4),
    ])
    for (name, descriptors) in Self.dateDescriptors() {
      var orders: [[Double]?] = []
      for descriptor in descriptors {
        orders.append(
          await withCheckedContinuation { done in
            store.execute(
              HKSampleQuery(
                sampleType: HKQuantityType(.heartRate), predicate: nil, limit: HKObjectQueryNoLimit,
                sortDescriptors: [descriptor]
              ) { _, samples, _ in done.resume(returning: (samples as? [HKQuantitySample])?.values) })
          })
      }
      #expect(orders == [[3, 1, 2], [2, 1, 3], [1, 2, 3], [3, 2, 1]], "\(name)")
    }
  }

  @Test func descriptorsSpanSeveralTypes() async throws {
    let store = try HKHealthStore.inMemory()
    let energy = HKQuantitySample(
      type: HKQuantityType(.activeEnergyBurned),
      quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 1), start: moment(), end: moment(9))
    let heart = heartRate(60, at: 1)
    try await store.save([heart, energy, heartRate(61, at: 2)])
    let query = HKSampleQueryDescriptor(
      predicates: [
        .sample(type: HKQuantityType(.activeEnergyBurned)),
        .sample(type: HKQuantityType(.heartRate), predicate: HKQuery.predicateForObject(with: heart.uuid)),
      ], sortDescriptors: [SortDescriptor(\.startDate)])
    #expect(try await query.result(for: store) == [energy, heart])
  }

  @Test func sourcesOfMatchingSamples() async throws {
    let store = try HKHealthStore.inMemory()
    for (second, name) in ["b", "a", "b"].enumerated() {
      let source = HKSource(name: name.uppercased(), bundleIdentifier: name)
      try await store.acting(as: source).save(heartRate(60, at: Double(second)))
    }
    let all = HKSourceQueryDescriptor(predicate: .quantitySample(type: HKQuantityType(.heartRate)))
    #expect(try await all.result(for: store).map(\.name) == ["A", "B"])
    let late = HKQuery.predicateForSamples(withStart: moment(2), end: nil)
    let found = await withCheckedContinuation { done in
      store.execute(
        HKSourceQuery(sampleType: HKQuantityType(.heartRate), samplePredicate: late) { _, sources, _ in
          done.resume(returning: sources)
        })
    }
    #expect(found?.map(\.bundleIdentifier) == ["b"])
    let other = HKSourceQueryDescriptor(predicate: .quantitySample(type: HKQuantityType(.stepCount)))
    #expect(try await other.result(for: store).isEmpty)
  }

  @Test func `a reduction visits each sample in order`() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.save([heartRate(2, at: 2), heartRate(1, at: 1), heartRate(3, at: 3)])
    let values = try await store.reduceSamples(
      into: [Double](), [.quantitySample(type: HKQuantityType(.heartRate))], limit: 2
    ) { values, sample in values.append(sample.quantity.doubleValue(for: beatsPerMinute)) }
    #expect(values == [1, 2])
  }
}
