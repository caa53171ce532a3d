import HealthStorage

/// Asks for the voltages of a stored electrocardiogram.
public struct HKElectrocardiogramQueryDescriptor: Sendable {
  private let electrocardiogram: HKElectrocardiogram

  public init(_ electrocardiogram: HKElectrocardiogram) {
    self.electrocardiogram = electrocardiogram
  }

  /// The measurements in order of time. The first `next()` reads the recording.
  public func results(for store: HKHealthStore) -> Results {
    Results(electrocardiogram: electrocardiogram, store: store)
  }

  /// The measurements of one recording. Throws errorNoData if it is not in the store.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = HKElectrocardiogram.VoltageMeasurement

    fileprivate let electrocardiogram: HKElectrocardiogram
    fileprivate let store: HKHealthStore

    public func makeAsyncIterator() -> Iterator {
      Iterator(electrocardiogram: electrocardiogram, store: store)
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let electrocardiogram: HKElectrocardiogram
      fileprivate let store: HKHealthStore
      private var measurements = LoadedList<HKElectrocardiogram.VoltageMeasurement>()

      fileprivate init(electrocardiogram: HKElectrocardiogram, store: HKHealthStore) {
        self.electrocardiogram = electrocardiogram
        self.store = store
      }

      public mutating func next() async throws -> HKElectrocardiogram.VoltageMeasurement? {
        try await measurements.next { [store, electrocardiogram] in
          try await store.voltages(of: electrocardiogram)
        }
      }
    }
  }
}

extension HKHealthStore {
  /// The voltages of a stored recording.
  func voltages(of recording: HKElectrocardiogram) async throws -> [HKElectrocardiogram.VoltageMeasurement] {
    try await HKError.translating {
      guard let record = try await admit(.read([recording.sampleType])).voltages(of: recording.uuid) else {
        throw HKError(.errorNoData, reason: "the electrocardiogram is not in the store")
      }
      return try record.measurements
    }
  }
}
