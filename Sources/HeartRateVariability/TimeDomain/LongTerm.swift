/// Measures over several hours, computed from five-minute windows (Task Force 1996, table 1).
///
/// ```swift
/// let longTerm = try recording.longTerm()
/// print(longTerm.sdann)
/// ```
public struct LongTerm: Hashable, Sendable {
  /// The standard deviation of the mean NN intervals of the windows in milliseconds, with the number of
  /// windows minus one as divisor.
  public let sdann: Double
  /// The mean of the SDNN of the windows in milliseconds.
  public let sdnnIndex: Double
  /// The number of windows that meet the requirements.
  public let windows: Int
}

extension MarkedRecording {
  /// Returns SDANN and the SDNN index of a recording.
  ///
  /// - Parameters:
  ///   - plan: The windows. The default is five minutes.
  ///   - requirements: Windows that do not meet them are skipped.
  /// - Throws: `tooFewWindows` below two.
  public func longTerm(
    _ plan: WindowPlan = .fiveMinutes, requirements: Requirements = .usual
  ) throws(MeasureError) -> LongTerm {
    try longTerm(plan.windows(of: self), requirements)
  }

  /// Returns SDANN and the SDNN index of a time range, from the adjacent five-minute windows that lie
  /// completely in it.
  ///
  /// - Parameter span: A range with the same origin as ``RRSegment/start``.
  /// - Throws: `tooFewWindows` below two.
  public func longTerm(
    in span: Window, requirements: Requirements = .usual
  ) throws(MeasureError) -> LongTerm {
    let step = WindowPlan.fiveMinutes.step
    // Up to a day, list all windows. Beyond that, list only windows in which the recording has intervals.
    let begin = (span.start / step).rounded(.up) * step
    let windows =
      span.duration <= 86_400
      ? stride(from: begin, through: span.end - step, by: step).compactMap {
        Window(start: $0, end: $0 + step)
      }
      : WindowPlan.fiveMinutes.windows(of: self).filter { $0.start >= span.start && $0.end <= span.end }
    return try longTerm(windows, requirements)
  }

  private func longTerm(_ windows: [Window], _ requirements: Requirements) throws(MeasureError) -> LongTerm {
    let measures = windows.compactMap { try? nn(in: $0).timeDomain(requirements) }
    guard measures.count >= 2 else {
      throw MeasureError(.tooFewWindows, found: Double(measures.count), needed: 2)
    }
    return LongTerm(
      sdann: measures.map(\.meanNN).standardDeviation, sdnnIndex: measures.map(\.sdnn).mean,
      windows: measures.count)
  }
}
