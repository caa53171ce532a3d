import HealthStorage

/// Asks for the voltages of a stored electrocardiogram.
public struct HKElectrocardiogramQueryDescriptor: Sendable {
  public var electrocardiogram: HKElectrocardiogram

  public init(_ electrocardiogram: HKElectrocardiogram) {
    self.electrocardiogram = electrocardiogram
  }

  /// The measurements in order of time. The first `next()` reads the recording.
  public func results(for store: HKHealthStore) -> Results {
    Results { [electrocardiogram] in try await store.voltages(of: electrocardiogram) }
  }

  /// The measurements of one recording. Throws errorNoData if it is not in the store.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = HKElectrocardiogram.VoltageMeasurement

    fileprivate let load: @Sendable () async throws -> [HKElectrocardiogram.VoltageMeasurement]

    public func makeAsyncIterator() -> Iterator {
      Iterator(measurements: LoadedList(load))
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var measurements: LoadedList<HKElectrocardiogram.VoltageMeasurement>

      public mutating func next() async throws -> HKElectrocardiogram.VoltageMeasurement? {
        try await measurements.next()
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
