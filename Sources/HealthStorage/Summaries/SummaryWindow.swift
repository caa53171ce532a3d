/// The type and the period of a filter that selects all samples of one type in a period, or all of one source.
struct SummaryWindow {
  let type: String
  /// The bundle identifier of the source; `nil` if samples of all sources are selected.
  private(set) var source: String?
  /// The bounds of the samples' start and end. Samples must meet all of them. `startsBefore` and `endsBefore`
  /// are exclusive.
  private(set) var startsFrom: Int64?
  private(set) var endsFrom: Int64?
  private(set) var startsBefore: Int64?
  private(set) var endsBefore: Int64?

  /// Returns `nil` if the filter selects anything else.
  init?(_ filter: SampleFilter) {
    var type: String?
    var parts = [filter]
    while let part = parts.popLast() {
      switch part {
      case .all(let more): parts += more
      case .everything: break
      case .type(let identifier) where type == nil: type = identifier
      case .sources(let identifiers) where source == nil && identifiers.count == 1: source = identifiers.first
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

  /// A time beyond all valid ones. The sum of two such times does not overflow.
  private static let farthest = Int64.max / 4

  private static func near(_ time: Int64) -> Int64 { min(max(time, -farthest), farthest) }

  /// Returns the range in which the samples can start, in microseconds since 1970.
  /// - Parameter longest: The longest duration of a sample of the type.
  func starts(longest: Int64) -> ClosedRange<Int64>? {
    let from = max(startsFrom ?? .min, endsFrom.map { Self.near($0) - Self.near(longest) } ?? .min)
    let to = min(startsBefore ?? .max, endsBefore ?? .max)
    return to > from ? from...(to - 1) : nil
  }

  /// The range in which the samples can end, in microseconds since 1970.
  var ends: ClosedRange<Int64> {
    let from = endsFrom ?? .min
    let last = endsBefore.map { $0 == .min ? $0 : $0 - 1 } ?? .max
    return from...max(from, last)
  }

  /// Returns the whole hours for which the filter selects all samples, including nearby samples that affect
  /// their statistics. May be empty.
  func hours(longest: Int64) -> Range<Int64> {
    let longest = Self.near(longest)
    // A sample that starts before `startsFrom` or ends after `endsBefore` is not selected, although it is
    // partly in the period.
    let from = max(startsFrom.map { Self.near($0) + longest } ?? .min, endsFrom ?? .min)
    let to = min(startsBefore ?? .max, endsBefore.map { Self.near($0) - longest } ?? .max)
    let lower = HourSummary.start(of: Self.near(from) + HourSummary.reach + HourSummary.length - 1)
    let upper = HourSummary.start(of: Self.near(to) - HourSummary.reach)
    return lower..<max(lower, upper)
  }
}
