/// A program that analyzes heart-rate variability and has its own text format for RR intervals.
package enum RRTool: String, CaseIterable, Sendable {
  case kubios
  case eliteHRV = "elite-hrv"
  case neuroKit2 = "neurokit2"
  case pyHRV = "pyhrv"
}

/// RR intervals as text in the format of an ``RRTool``, and the number of omitted intervals.
package struct RRText: Sendable {
  package fileprivate(set) var lines: [String] = []
  /// The number of omitted artifacts. It is 0 for a program that detects artifacts itself, because they are
  /// written for it.
  package fileprivate(set) var artefacts = 0
  /// The number of omitted intervals that overlap in time with written ones.
  package var overlapping = 0
  /// The time range of the written intervals in seconds since 1970. Set if the format cannot represent gaps,
  /// so that only a part without gaps was written.
  package fileprivate(set) var stretch: ClosedRange<Double>?
  /// The number of intervals omitted because they are outside ``stretch``.
  package fileprivate(set) var others = 0
}

extension RRTool {
  /// Returns the text of a recording. For formats without times, it contains only one part of the recording
  /// without gaps.
  package func text(_ recording: MarkedRecording) -> RRText {
    switch self {
    case .kubios: Self.withTimes(recording, heading: nil, isWanted: { _ in true }) { "\($0)\t\($1 / 1000)" }
    case .neuroKit2:
      Self.withTimes(recording, heading: "RRI,RRI_Time", isWanted: \.isNN) { "\($1),\($0)" }
    case .eliteHRV: Self.longestSegment(recording)
    case .pyHRV: Self.longestRun(recording)
    }
  }

  // MARK: - Formats with times

  /// Returns the wanted intervals, each with the time of its end in seconds since the first beat. At a gap,
  /// the time increases by more than the interval.
  private static func withTimes(
    _ recording: MarkedRecording, heading: String?, isWanted: (IntervalMark) -> Bool,
    _ line: (_ time: Double, _ interval: Double) -> String
  ) -> RRText {
    var text = RRText(lines: heading.map { [$0] } ?? [])
    let origin = recording.segments.first?.start ?? 0
    var last = -Double.infinity
    for segment in recording.segments {
      for (index, (interval, end)) in zip(segment.intervals, segment.ends).enumerated() {
        // Round to microseconds, the resolution of times in the store.
        let time = ((segment.start - origin + end) * 1e6).rounded() / 1e6
        // This interval overlaps an interval that was already written, and `MergedSegments` could not merge
        // them. Only one of them can be real, so omit this one.
        guard time > last else {
          text.overlapping += 1
          continue
        }
        last = time
        guard isWanted(segment.marks[index]) else {
          text.artefacts += 1
          continue
        }
        text.lines.append(line(time, interval))
      }
    }
    return text
  }

  // MARK: - Formats without times

  private static func longestSegment(_ recording: MarkedRecording) -> RRText {
    guard let longest = recording.segments.max(by: { $0.intervals.count < $1.intervals.count }) else {
      return RRText()
    }
    var text = RRText(lines: longest.intervals.map { String(Int($0.rounded())) })
    let others = recording.segments.reduce(0) { $0 + $1.intervals.count } - longest.intervals.count
    text.addStretch(longest.start...(longest.start + longest.duration), others)
    return text
  }

  /// Returns the longest sequence of NN intervals without a gap, including interpolated intervals.
  private static func longestRun(_ recording: MarkedRecording) -> RRText {
    let series = recording.corrected().pooled()
    guard let longest = series.runs.max(by: { $0.count < $1.count }), let origin = recording.segments.first
    else { return RRText() }
    var text = RRText(lines: series.intervals[longest].map { "\($0)" })
    let times = series.times
    let start = origin.start + times[longest.lowerBound] - series.intervals[longest.lowerBound] / 1000
    text.addStretch(
      start...(origin.start + times[longest.upperBound - 1]),
      series.measured - longest.count)
    return text
  }
}

extension RRText {
  fileprivate mutating func addStretch(_ stretch: ClosedRange<Double>, _ others: Int) {
    guard others > 0 else { return }
    (self.stretch, self.others) = (stretch, others)
  }
}
