extension LipponenTarvainen {
  /// Classifies the beats of one segment.
  ///
  /// - Parameters:
  ///   - intervals: Milliseconds.
  ///   - limits: Intervals outside do not enter the mean that stands for the one before the first.
  /// - Returns: Findings in order of their beats; none for fewer than three intervals, nor where one is such
  ///   as no ``RRSegment`` has.
  public func findings(in intervals: [Double], limits: RangeLimits = .usual) -> [Finding] {
    guard intervals.count >= 3, intervals.allSatisfy(RRSegment.isPossible(interval:)) else { return [] }
    return classify(Subspaces(of: intervals, limits: limits, by: self))
  }

  private func classify(_ spaces: Subspaces) -> [Finding] {
    let differences = spaces.differences
    var findings: [Finding] = []
    var index = 0
    // The flow of the paper's figure 1.
    while index < differences.count - 2 {
      guard abs(differences[index]) > 1 else {
        index += 1
        continue
      }
      if isEctopic(index, spaces) {
        // The pattern stands about the beat before: the interval that ends there and this one are wrong.
        if index > 1 { findings.append(Finding(mark: .ectopic, beat: index - 1)) }
        index += 1
        continue
      }
      let isFollowed = abs(differences[index + 1]) < abs(differences[index + 2])
      for candidate in isFollowed ? index...index + 1 : index...index {
        if let mark = mark(of: candidate, spaces), candidate > 0 {
          findings.append(Finding(mark: mark, beat: candidate))
        }
        index += 1
      }
    }
    return findings
  }

  /// Equations 1 and 2: the difference lies between two of the other sign.
  private func isEctopic(_ index: Int, _ spaces: Subspaces) -> Bool {
    let (own, other) = (spaces.differences[index], spaces.neighbours[index])
    if own > 1 { return other < -slope * own - intercept }
    if own < -1 { return other > -slope * own + intercept }
    return false
  }

  /// Equations 3 to 7.
  private func mark(of index: Int, _ spaces: Subspaces) -> IntervalMark? {
    let (own, following) = (spaces.differences[index], spaces.followers[index])
    let isLong = own > 1 && following < -1
    let isShort = own < -1 && following > 1
    guard isLong || isShort || abs(spaces.deviations[index]) > 3 else { return nil }
    let (interval, median) = (spaces.intervals[index], spaces.medians[index])
    let threshold = spaces.deviationThresholds[index]
    if isShort, abs(interval + spaces.intervals[index + 1] - median) < threshold { return .extra }
    if isLong, abs(interval / 2 - median) < threshold { return .missed }
    return interval > median ? .long : .short
  }
}
