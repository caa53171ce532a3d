public import Foundation
import HealthStorage
import Synchronization

/// A builder that collects quantities of one type and saves them as a series.
///
/// Saves one sample, or several if the series exceeds the count or length limit of a sample. If the process
/// ends before `finishSeries`, the collected quantities are lost.
///
/// Quantities can be inserted in any order. If two have the same start, the later insertion wins. All
/// quantities are converted to the unit of the first one; values already in that unit are stored unchanged.
// @unchecked: the class is open, like Apple's. All state is `let`, Sendable or in a Mutex.
open class HKQuantitySeriesSampleBuilder: NSObject, @unchecked Sendable {
  /// Maximum number of quantities in one sample: 18 hours at one per second. (Not part of Apple's framework.)
  package static let greatestCount = 65_536

  public let quantityType: HKQuantityType
  /// The start of the series. No quantity may start earlier.
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

  /// Adds a quantity to the series.
  ///
  /// Traps after `discard()`, where Apple's method raises an exception.
  /// - Parameters:
  ///   - quantity: Must be finite and in a unit compatible with the type.
  ///   - dateInterval: Must not start before the series.
  /// - Throws: `HKError` errorInvalidArgument for an invalid quantity or interval, or if the series was
  ///   finished.
  public func insert(_ quantity: HKQuantity, for dateInterval: DateInterval) throws {
    let insertion = try checked(quantity, dateInterval)
    try state.withLock { state throws(HKError) in
      guard case .gathering(var insertions) = state else { throw Self.ended(state) }
      // Remove the array from the state while appending. If the state still referred to it, appending would
      // copy it.
      state = .finished
      insertions.append(insertion)
      state = .gathering(insertions)
    }
  }

  /// Adds a quantity measured at an instant. See `insert(_:for:)`.
  public func insert(_ quantity: HKQuantity, at date: Date) throws {
    guard Microseconds.of(date) != nil else {
      throw HKError(.errorInvalidArgument, reason: "the date of a quantity is out of range")
    }
    try insert(quantity, for: DateInterval(start: date, duration: 0))
  }

  /// Saves the series. If that fails, the builder keeps its quantities and can be finished again.
  /// - Parameters:
  ///   - metadata: The metadata of each saved sample.
  ///   - endDate: The end of the series, not before the end of any quantity. Nil for the latest end of a
  ///     quantity.
  /// - Returns: The saved samples. The quantities themselves are only in the store.
  /// - Throws: `HKError` errorInvalidArgument if there are no quantities or `endDate` is too early; otherwise
  ///   the errors of `HKHealthStore.save(_:)`.
  @discardableResult
  public func finishSeries(metadata: [String: Any]?, endDate: Date?) async throws -> [HKQuantitySample] {
    try await finish(checked(metadata), endDate)
  }

  /// Saves the series, which ends with its last quantity. See `finishSeries(metadata:endDate:)`.
  @discardableResult
  public func finishSeries(metadata: [String: Any]?) async throws -> [HKQuantitySample] {
    try await finish(checked(metadata), nil)
  }

  /// Discards the series. Any later use of the builder traps.
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
      throw HKError(.errorInvalidArgument, reason: "a quantity must not precede its series")
    }
    return Insertion(quantity: quantity, start: start, end: end)
  }
}

// MARK: - Completion handlers

extension HKQuantitySeriesSampleBuilder {
  /// Completion-handler version of `finishSeries(metadata:endDate:)`.
  @preconcurrency
  public func finishSeries(
    metadata: [String: Any]?, endDate: Date?,
    completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
  ) {
    let metadata = checked(metadata)
    // Start an unstructured task, because this function is not async.
    Task {
      do {
        completion(try await finish(metadata, endDate), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  /// Saves the series, which ends with its last quantity. See `finishSeries(metadata:endDate:completion:)`.
  @preconcurrency
  public func finishSeries(
    metadata: [String: Any]?, completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
  ) {
    finishSeries(metadata: metadata, endDate: nil, completion: completion)
  }
}
