public import Foundation
import HealthStorage
import Synchronization

/// Gathers quantities of one type and saves them as a series: one sample, or several if there are very many.
/// What was gathered is lost if the process ends before `finishSeries`.
///
/// Quantities may be inserted in any order; of two with the same start the later insertion counts. All are
/// kept in the unit of the first, exactly as they were given where that is their own.
// @unchecked: open as Apple's class is, but its state is `let`, Sendable or in a Mutex.
open class HKQuantitySeriesSampleBuilder: NSObject, @unchecked Sendable {
  /// How many quantities one sample holds at most: 18 hours at one a second. (Not in Apple's framework.)
  package static let greatestCount = 65_536

  public let quantityType: HKQuantityType
  /// The start of the series, before which no quantity may lie.
  public let startDate: Date
  public let device: HKDevice?
  private let store: HKHealthStore
  private let state = Mutex(State.gathering([]))

  private enum State {
    case gathering([Insertion])
    case finished
    case discarded
  }

  struct Insertion: Sendable {
    let quantity: HKQuantity
    let start: Int64
    let end: Int64
  }

  public init(healthStore: HKHealthStore, quantityType: HKQuantityType, startDate: Date, device: HKDevice?) {
    store = healthStore
    self.quantityType = quantityType
    self.startDate = startDate
    self.device = device
  }

  /// Traps after `discard()`, as Apple's raises an exception.
  /// - Parameters:
  ///   - quantity: finite, in a unit that fits the type.
  ///   - dateInterval: not before the start of the series.
  /// - Throws: `HKError`, errorInvalidArgument, also after the series was finished.
  public func insert(_ quantity: HKQuantity, for dateInterval: DateInterval) throws {
    let insertion = try checked(quantity, dateInterval)
    try state.withLock { state throws(HKError) in
      guard case .gathering(var insertions) = state else { throw Self.ended(state) }
      // Taken out of the state, so that the array is not copied.
      state = .finished
      insertions.append(insertion)
      state = .gathering(insertions)
    }
  }

  /// As `insert(_:for:)`, at an instant.
  public func insert(_ quantity: HKQuantity, at date: Date) throws {
    guard Microseconds.of(date) != nil else {
      throw HKError(.errorInvalidArgument, reason: "the date of a quantity is out of range")
    }
    try insert(quantity, for: DateInterval(start: date, duration: 0))
  }

  /// Saves the series. After an error the builder is as it was.
  /// - Parameters:
  ///   - metadata: of each sample that is made.
  ///   - endDate: of the series, not before the end of any quantity; nil for the last of their ends.
  /// - Returns: the samples, of which the store holds the quantities.
  /// - Throws: `HKError`, errorInvalidArgument if nothing was inserted or the end is too early; otherwise as
  ///   `HKHealthStore.save(_:)`.
  @discardableResult
  public func finishSeries(metadata: [String: Any]?, endDate: Date?) async throws -> [HKQuantitySample] {
    try await finish(checked(metadata), endDate)
  }

  /// As `finishSeries(metadata:endDate:)`, to the end of the last quantity.
  @discardableResult
  public func finishSeries(metadata: [String: Any]?) async throws -> [HKQuantitySample] {
    try await finish(checked(metadata), nil)
  }

  /// Gives the series up. Any use of the builder traps from now on.
  public func discard() {
    state.withLock { $0 = .discarded }
  }

  func finish(
    _ metadata: Result<ObjectMetadata?, HKError>, _ endDate: Date?
  ) async throws -> [HKQuantitySample] {
    let insertions = try take()
    do {
      let making = QuantitySeriesMaking(
        type: quantityType, start: startDate, end: endDate, device: device, metadata: try metadata.get())
      let samples = try making.samples(insertions)
      try await store.save(samples)
      return samples
    } catch {
      state.withLock { if case .finished = $0 { $0 = .gathering(insertions) } }
      throw error
    }
  }

  func checked(_ metadata: [String: Any]?) -> Result<ObjectMetadata?, HKError> {
    Result { () throws(HKValidationError) in try ObjectMetadata.validated(metadata) }
      .mapError { HKError(invalid: $0) }
  }

  private func take() throws(HKError) -> [Insertion] {
    try state.withLock { state throws(HKError) in
      guard case .gathering(let insertions) = state else { throw Self.ended(state) }
      state = .finished
      return insertions
    }
  }

  private static func ended(_ state: State) -> HKError {
    if case .discarded = state {
      HKValidationError(.invalidArgument, "a series builder must not be used after it was discarded").raise()
    }
    return HKError(.errorInvalidArgument, reason: "the series builder was finished")
  }

  private func checked(_ quantity: HKQuantity, _ interval: DateInterval) throws(HKError) -> Insertion {
    do {
      try HKQuantitySample.check(quantity, quantityType)
    } catch {
      throw HKError(invalid: error)
    }
    guard quantity.value.isFinite, let start = Microseconds.of(interval.start),
      let end = Microseconds.of(interval.end), start <= end
    else { throw HKError(.errorInvalidArgument, reason: "a quantity must be finite, and its dates in range") }
    guard start >= Microseconds.clamped(startDate) else {
      throw HKError(.errorInvalidArgument, reason: "a quantity must not lie before its series")
    }
    return Insertion(quantity: quantity, start: start, end: end)
  }
}

// MARK: - Completion handlers

extension HKQuantitySeriesSampleBuilder {
  /// As `finishSeries(metadata:endDate:)`.
  @preconcurrency
  public func finishSeries(
    metadata: [String: Any]?, endDate: Date?,
    completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
  ) {
    let metadata = checked(metadata)
    // A completion handler has no task to be a child of.
    Task {
      do {
        completion(try await finish(metadata, endDate), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  /// As `finishSeries(metadata:endDate:completion:)`, to the end of the last quantity.
  @preconcurrency
  public func finishSeries(
    metadata: [String: Any]?, completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
  ) {
    finishSeries(metadata: metadata, endDate: nil, completion: completion)
  }
}
