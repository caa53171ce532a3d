/// Asks for the voltages of a stored electrocardiogram, in the style of completion handlers.
// @unchecked: as for HKQuery.
public final class HKElectrocardiogramQuery: HKQuery, @unchecked Sendable {
  /// What a call of the handler says.
  public enum Result: Sendable {
    case measurement(HKElectrocardiogram.VoltageMeasurement)
    /// Nothing follows.
    case error(any Error)
    /// All measurements were told.
    case done
  }

  public typealias DataHandler = @Sendable (HKElectrocardiogramQuery, Result) -> Void

  private let electrocardiogram: HKElectrocardiogram
  private let handler: DataHandler

  /// - Parameter dataHandler: called for each measurement in order of time, then once with `done`; or once
  ///   with an error.
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
