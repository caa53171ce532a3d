public import Foundation

/// A sample that consists of a series of values.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKSeriesSample: HKSample, @unchecked Sendable {
  /// The number of values in the series.
  public let count: Int

  init(_ type: HKSeriesType, count: Int, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.count = count
    super.init(type, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(count, forKey: ArchiveKey.count)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is HKSeriesType,
      let count = coder.integer(forKey: ArchiveKey.count), count >= 0
    else { return nil }
    self.count = count
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let count = "count"
  }
}

/// The type of series samples.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKSeriesType: HKSampleType, @unchecked Sendable {
  /// The type of `HKHeartbeatSeriesSample`.
  public class func heartbeat() -> HKSeriesType { ObjectTypes.heartbeatSeries }

  /// The type of `HKWorkoutRoute`.
  public class func workoutRoute() -> HKSeriesType { ObjectTypes.workoutRoute }
}

/// A list that is read by the first call of `next()` and then returned one element at a time.
struct LoadedList<Element> {
  private let load: () async throws -> [Element]
  private var elements: [Element]?
  private var position = 0

  init(_ load: @escaping () async throws -> [Element]) {
    self.load = load
  }

  mutating func next() async throws -> Element? {
    let elements =
      if let elements { elements } else { try await load() }
    self.elements = elements
    guard position < elements.count else { return nil }
    position += 1
    return elements[position - 1]
  }
}
