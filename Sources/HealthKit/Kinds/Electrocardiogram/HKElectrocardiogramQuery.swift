import HealthStorage

/// A query that delivers the voltages of a stored electrocardiogram to a handler.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKElectrocardiogramQuery: HKQuery, @unchecked Sendable {
  /// What a call of the handler reports.
  public enum Result: Sendable {
    case measurement(HKElectrocardiogram.VoltageMeasurement)
    /// The query failed. This is the last call.
    case error(any Error)
    /// All measurements were delivered. This is the last call.
    case done
  }

  public typealias DataHandler = @Sendable (HKElectrocardiogramQuery, Result) -> Void

  private let electrocardiogram: HKElectrocardiogram
  private let handler: DataHandler

  /// Creates a query for the voltages of a recording.
  /// - Parameter dataHandler: Called for each measurement in chronological order, then once with `done`; or
  ///   once with an error.
  @preconcurrency
  public init(_ ecg: HKElectrocardiogram, dataHandler: @escaping DataHandler) {
    electrocardiogram = ecg
    handler = dataHandler
    super.init(ecg.sampleType, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      for measurement in try await store.voltages(of: electrocardiogram) {
        await deliver { self.handler(self, .measurement(measurement)) }
      }
      await deliver { self.handler(self, .done) }
    } catch {
      await deliver { self.handler(self, .error(error)) }
    }
  }
}

extension HKElectrocardiogramQuery {
  /// Creates a query with the handler of the Objective-C API. See `init(_:dataHandler:)`.
  /// - Parameter dataHandler: Called for each measurement in chronological order, then once with nil and
  ///   true; or once with an error and true.
  @preconcurrency
  public convenience init(
    electrocardiogram: HKElectrocardiogram,
    dataHandler:
      @escaping @Sendable (
        HKElectrocardiogramQuery, HKElectrocardiogram.VoltageMeasurement?, Bool, (any Error)?
      ) -> Void
  ) {
    self.init(electrocardiogram) { query, result in
      switch result {
      case .measurement(let measurement): dataHandler(query, measurement, false, nil)
      case .error(let error): dataHandler(query, nil, true, error)
      case .done: dataHandler(query, nil, true, nil)
      }
    }
  }
}

/// A query for the voltages of a stored electrocardiogram.
public struct HKElectrocardiogramQueryDescriptor: Sendable {
  public var electrocardiogram: HKElectrocardiogram

  public init(_ electrocardiogram: HKElectrocardiogram) {
    self.electrocardiogram = electrocardiogram
  }

  /// Returns the measurements in chronological order. The first `next()` reads the whole recording.
  public func results(for store: HKHealthStore) -> Results {
    Results { [electrocardiogram] in try await store.voltages(of: electrocardiogram) }
  }

  /// The measurements of one recording. Iterating throws `HKError` errorNoData if the recording is not in the
  /// store.
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
  /// Returns the voltages of a stored recording.
  func voltages(of recording: HKElectrocardiogram) async throws -> [HKElectrocardiogram.VoltageMeasurement] {
    try await HKError.translating {
      guard let record = try await admit(.read([recording.sampleType])).voltages(of: recording.uuid) else {
        throw HKError(.errorNoData, reason: "the electrocardiogram is not in the store")
      }
      return try record.measurements
    }
  }
}
