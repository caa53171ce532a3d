/// Measures over the five-minute windows of hours (Task Force 1996, table 1).
public struct LongTerm: Hashable, Sendable {
  /// The standard deviation of the windows' mean NN intervals (divided by their number less one), in
  /// milliseconds.
  public let sdann: Double
  /// The mean of the windows' SDNN, in milliseconds.
  public let sdnnIndex: Double
  /// How many windows have enough to count.
  public let windows: Int
}

extension MarkedRecording {
  /// SDANN and the SDNN index, of windows side by side.
  ///
  /// - Parameters:
  ///   - plan: Other windows than those of five minutes.
  ///   - requirements: A window with less is passed over.
  /// - Throws: `tooFewWindows` below two.
  public func longTerm(
    _ plan: WindowPlan = .fiveMinutes, requirements: Requirements = .usual
  ) throws(Refusal) -> LongTerm {
    try longTerm(plan.windows(of: self), requirements)
  }

  /// SDANN and the SDNN index of a time: of the five minutes side by side that are all in it.
  ///
  /// - Parameter span: As ``RRSegment/start`` counts.
  /// - Throws: `tooFewWindows` below two.
  public func longTerm(
    in span: Window, requirements: Requirements = .usual
  ) throws(Refusal) -> LongTerm {
    let step = WindowPlan.fiveMinutes.step
    // A short time is gone through window by window; a long one holds most of the recording.
    let begin = (span.start / step).rounded(.up) * step
    let windows =
      span.duration <= 86_400
      ? stride(from: begin, through: span.end - step, by: step).compactMap {
        Window(start: $0, end: $0 + step)
      }
      : WindowPlan.fiveMinutes.windows(of: self).filter { $0.start >= span.start && $0.end <= span.end }
    return try longTerm(windows, requirements)
  }

  private func longTerm(_ windows: [Window], _ requirements: Requirements) throws(Refusal) -> LongTerm {
    let measures = windows.compactMap { try? nn(in: $0).timeDomain(requirements) }
    guard measures.count >= 2 else {
      throw Refusal(.tooFewWindows, found: Double(measures.count), needed: 2)
    }
    return LongTerm(
      sdann: measures.map(\.meanNN).standardDeviation, sdnnIndex: measures.map(\.sdnn).mean,
      windows: measures.count)
  }
}
