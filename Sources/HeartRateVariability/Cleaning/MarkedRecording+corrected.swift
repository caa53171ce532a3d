extension MarkedRecording {
  /// Returns a recording in which artifacts are replaced by probable values.
  ///
  /// - If a beat was *missed*, the interval becomes two halves.
  /// - If a beat is *extra*, the two intervals become their sum.
  /// - Any other artifact is replaced by one interval, interpolated linearly between the nearest normal
  ///   intervals before and after. Later beats of the segment are shifted by the difference.
  /// - Artifacts at the ends of a segment stay as they are, because there is no normal interval on one side.
  ///   So do more than ``longestRepair`` artifacts in a row.
  ///
  /// New intervals are marked `interpolated` and still count as artifacts. Gaps between segments are not
  /// filled.
  public func corrected() -> MarkedRecording {
    MarkedRecording(segments: segments.map { $0.corrected() })
  }

  /// Maximum number of consecutive artifacts that are replaced.
  public static let longestRepair = 10
}

extension MarkedSegment {
  fileprivate func corrected() -> MarkedSegment {
    guard marks.contains(where: { !$0.isNN }) else { return self }
    var repair = Repair()
    var index = 0
    while index < intervals.count {
      let end = marks[index...].firstIndex { $0.isNN } ?? marks.count
      if end == index {
        repair.append(intervals[index], marks[index])
        index += 1
        continue
      }
      let isBetween = index > 0 && end < marks.count
      if isBetween, end - index <= MarkedRecording.longestRepair {
        repair.replace(self, index..<end, before: intervals[index - 1], after: intervals[end])
      } else {
        for kept in index..<end { repair.append(intervals[kept], marks[kept]) }
      }
      index = end
    }
    return MarkedSegment(start: start, intervals: repair.intervals, marks: repair.marks)
  }
}

/// Collects the intervals of a segment while its artifacts are replaced.
private struct Repair {
  private(set) var intervals: [Double] = []
  private(set) var marks: [IntervalMark] = []

  mutating func append(_ interval: Double, _ mark: IntervalMark) {
    intervals.append(interval)
    marks.append(mark)
  }

  /// Replaces consecutive artifacts by values between `before` and `after`, the adjacent normal intervals.
  mutating func replace(
    _ segment: MarkedSegment, _ range: Range<Int>, before: Double, after: Double
  ) {
    // `nil` stands for an interpolated value, which is computed once the number of values is known.
    var values: [Double?] = []
    var index = range.lowerBound
    while index < range.upperBound {
      switch segment.marks[index] {
      case .missed:
        values += [segment.intervals[index] / 2, segment.intervals[index] / 2]
      case .extra where index + 1 < range.upperBound && segment.marks[index + 1] == .extra:
        values.append(segment.intervals[index] + segment.intervals[index + 1])
        index += 1
      default:
        values.append(nil)
      }
      index += 1
    }
    for (number, value) in values.enumerated() {
      let fraction = Double(number + 1) / Double(values.count + 1)
      append(value ?? before + (after - before) * fraction, .interpolated)
    }
  }
}
