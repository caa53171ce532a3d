/// A filter that asks for the samples of one type in a window and for nothing else.
struct SummaryWindow {
  let type: String
  /// Bounds of the samples' starts and ends; both bounds hold. The upper ones are exclusive.
  private(set) var startsFrom: Int64?
  private(set) var endsFrom: Int64?
  private(set) var startsBefore: Int64?
  private(set) var endsBefore: Int64?

  /// nil for any other filter.
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

  /// Far enough for any time that the layer above stores, and near enough that sums of two do not overflow.
  private static let farthest = Int64.max / 4

  private static func near(_ time: Int64) -> Int64 { min(max(time, -farthest), farthest) }

  /// Where samples must begin, in microseconds.
  /// - Parameter longest: no sample of the type is longer.
  func starts(longest: Int64) -> ClosedRange<Int64>? {
    let from = max(startsFrom ?? .min, endsFrom.map { Self.near($0) - Self.near(longest) } ?? .min)
    let to = min(startsBefore ?? .max, endsBefore ?? .max)
    return to > from ? from...(to - 1) : nil
  }

  /// Where samples must end, in microseconds.
  var ends: ClosedRange<Int64> {
    let from = endsFrom ?? .min
    let last = endsBefore.map { $0 == .min ? $0 : $0 - 1 } ?? .max
    return from...max(from, last)
  }

  /// The whole hours, as a time, of which the window holds every sample and whatever their figures depend on;
  /// empty if there are none.
  func hours(longest: Int64) -> Range<Int64> {
    let longest = Self.near(longest)
    // What begins before a strict bound and ends behind it is not in the window.
    let from = max(startsFrom.map { Self.near($0) + longest } ?? .min, endsFrom ?? .min)
    let to = min(startsBefore ?? .max, endsBefore.map { Self.near($0) - longest } ?? .max)
    let lower = HourSummary.start(of: Self.near(from) + HourSummary.reach + HourSummary.length - 1)
    let upper = HourSummary.start(of: Self.near(to) - HourSummary.reach)
    return lower..<max(lower, upper)
  }
}
