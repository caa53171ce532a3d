import HealthKit
import Testing

@Suite struct ElectrocardiogramQueryTests {
  private func recording() throws -> HKElectrocardiogram {
    let measurements = try (0..<1000).map { (index: Int) -> HKElectrocardiogram.VoltageMeasurement in
      var voltages: [HKElectrocardiogram.Lead: HKQuantity] = [:]
      if index % 10 != 9 {
        voltages[.appleWatchSimilarToLeadI] = HKQuantity(
          unit: .voltUnit(with: .micro), doubleValue: Double(index) * 0.1)
      }
      return try HKElectrocardiogram.VoltageMeasurement(
        timeSinceSampleStart: Double(index) / 512, voltages: voltages)
    }
    return try .make(
      start: moment(), end: moment(30), voltageMeasurements: measurements,
      samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512), classification: .sinusRhythm,
      averageHeartRate: nil, symptomsStatus: .none)
  }

  @Test(arguments: StoreDepth.allCases)
  func `voltages are read unchanged`(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      let recording = try recording()
      try await store.save(recording)
      let found = try #require(
        try await HKSampleQueryDescriptor(predicates: [.electrocardiogram()], sortDescriptors: []).result(
          for: store
        )
        .first)
      #expect(found == recording && found.numberOfVoltageMeasurements == 1000)
      var measurements: [HKElectrocardiogram.VoltageMeasurement] = []
      for try await measurement in HKElectrocardiogramQueryDescriptor(found).results(for: store) {
        measurements.append(measurement)
      }
      #expect(measurements == recording.voltageMeasurements)
    }
  }

  @Test func `the query calls its handler per measurement, and then with done`() async throws {
    let store = try HKHealthStore.inMemory()
    let recording = try recording()
    try await store.save(recording)
    let (calls, continuation) = AsyncStream<HKElectrocardiogram.VoltageMeasurement>.makeStream()
    store.execute(
      HKElectrocardiogramQuery(recording) { _, result in
        switch result {
        case .measurement(let measurement): continuation.yield(measurement)
        case .error(let error): Issue.record(error)
        case .done: continuation.finish()
        }
      })
    #expect(await calls.reduce(into: []) { $0.append($1) } == recording.voltageMeasurements)
  }

  @Test func `the Objective-C query passes each measurement, and then done`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let recording = try recording()
    try await store.save(recording)
    let (calls, continuation) = AsyncStream<(HKElectrocardiogram.VoltageMeasurement?, Bool)>.makeStream()
    store.execute(
      HKElectrocardiogramQuery(electrocardiogram: recording) { _, measurement, isDone, error in
        #expect(error == nil)
        continuation.yield((measurement, isDone))
        if isDone { continuation.finish() }
      })
    let results = await calls.reduce(into: []) { $0.append($1) }
    #expect(results.compactMap(\.0) == recording.voltageMeasurements)
    #expect(results.last?.0 == nil && results.filter(\.1).count == 1)
    let (failures, other) = AsyncStream<(Bool, (any Error)?)>.makeStream()
    store.execute(
      HKElectrocardiogramQuery(electrocardiogram: try self.recording()) { _, _, isDone, error in
        other.yield((isDone, error))
        other.finish()
      })
    for await (isDone, error) in failures {
      #expect(isDone && (error as? HKError)?.code == .errorNoData)
    }
  }

  @Test func `a recording that is not stored is errorNoData`() async throws {
    let store = try HKHealthStore.inMemory()
    let recording = try recording()
    let (calls, continuation) = AsyncStream<HKElectrocardiogramQuery.Result>.makeStream()
    store.execute(
      HKElectrocardiogramQuery(recording) { _, result in
        continuation.yield(result)
        continuation.finish()
      })
    for await result in calls {
      guard case .error(HKError.errorNoData) = result else {
        Issue.record("voltages of nothing")
        return
      }
    }
  }
}
