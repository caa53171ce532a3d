/// A filter that selects exactly the samples of one type in a time window.
struct SummaryWindow {
  let type: String
  /// Bounds for the starts and ends of samples; all must hold. The upper bounds are exclusive.
  private(set) var startsFrom: Int64?
  private(set) var endsFrom: Int64?
  private(set) var startsBefore: Int64?
  private(set) var endsBefore: Int64?

  /// Returns nil for any other filter.
  init?(_ filter: SampleFilter) {
    var type: String?
    var parts = [filter]
    while let part = parts.popLast() {
      switch part {
      case .all(let more): parts += more
      case .everything: break
      case .type(let identifier) where type == nil: type = identifier
      case .startsFrom(let time): startsFrom = max(startsFrom ?? time, time)
      case .endsFrom(let time): endsFrom = max(endsFrom ?? time, time)
      case .startsBefore(let time): startsBefore = min(startsBefore ?? time, time)
      case .endsBefore(let time): endsBefore = min(endsBefore ?? time, time)
      default: return nil
      }
    }
    guard let type else { return nil }
    self.type = type
  }

  /// A limit beyond all valid times, but small enough that the sum of two does not overflow.
  private static let farthest = Int64.max / 4

  private static func near(_ time: Int64) -> Int64 { min(max(time, -farthest), farthest) }

  /// Returns the range of possible starts, in microseconds since 1970.
  /// - Parameter longest: the longest duration of a sample of the type.
  func starts(longest: Int64) -> ClosedRange<Int64>? {
    let from = max(startsFrom ?? .min, endsFrom.map { Self.near($0) - Self.near(longest) } ?? .min)
    let to = min(startsBefore ?? .max, endsBefore ?? .max)
    return to > from ? from...(to - 1) : nil
  }

  /// The range of possible ends, in microseconds since 1970.
  var ends: ClosedRange<Int64> {
    let from = endsFrom ?? .min
    let last = endsBefore.map { $0 == .min ? $0 : $0 - 1 } ?? .max
    return from...max(from, last)
  }

  /// Returns the range of whole hours for which the window contains all samples and everything that affects
  /// their figures; may be empty.
  func hours(longest: Int64) -> Range<Int64> {
    let longest = Self.near(longest)
    // A sample that begins before a strict bound and ends after it is not in the window.
    let from = max(startsFrom.map { Self.near($0) + longest } ?? .min, endsFrom ?? .min)
    let to = min(startsBefore ?? .max, endsBefore.map { Self.near($0) - longest } ?? .max)
    let lower = HourSummary.start(of: Self.near(from) + HourSummary.reach + HourSummary.length - 1)
    let upper = HourSummary.start(of: Self.near(to) - HourSummary.reach)
    return lower..<max(lower, upper)
  }
}
