/// Welch's averaged periodograms of the tachogram, resampled at equal steps (Welch 1967): the classical
/// method, here as the comparison. Each run is resampled by itself, and a segment is never laid across a gap
/// or an artefact.
public struct Welch: Hashable, Sendable {
  /// How the value between two beats is found.
  public enum Interpolation: Hashable, Sendable {
    case linear
    /// A cubic spline whose second derivative is zero at both ends.
    case cubic
  }

  /// Samples in a second, 1 to 16.
  public let rate: Double
  /// Samples in a segment: a power of two, 16 to 65,536.
  public let segmentLength: Int
  public let interpolation: Interpolation
  /// What is taken away from each segment.
  public let detrending: Detrending

  /// 4 Hz, segments of 256 s that overlap by half, in a Hann window. A segment's length that is no power of
  /// two is brought to the next that is, and any number that is out of its limits to the nearest that is not.
  public init(
    rate: Double = 4, segmentLength: Int = 1024, interpolation: Interpolation = .cubic,
    detrending: Detrending = .linear
  ) {
    self.rate = rate.isFinite ? min(max(rate, 1), 16) : 4
    let length = min(max(segmentLength, 16), 65_536)
    self.segmentLength =
      length.nonzeroBitCount == 1 ? length : 1 << (Int.bitWidth - length.leadingZeroBitCount)
    self.interpolation = interpolation
    self.detrending = detrending
  }

  /// Seconds from the first sample of a segment to where the next would stand without overlap.
  public var segment: Double { Double(segmentLength) / rate }

  /// Windows of at most so many seconds: a day.
  static let longestWindow = 86_400.0
}

extension NNSeries {
  /// The average of the densities of all segments that fit into runs.
  ///
  /// - Throws: `noLongStretch` where no run holds a segment, `windowTooLong` above a day, and what the
  ///   requirements refuse.
  public func spectrum(
    welch parameters: Welch, requirements: Requirements = .usual
  ) throws(Refusal) -> Spectrum {
    try require(requirements)
    guard duration <= Welch.longestWindow else {
      throw Refusal(.windowTooLong, found: duration, needed: Welch.longestWindow)
    }
    let averaging = SegmentAveraging(parameters)
    var sum = [Double](repeating: 0, count: parameters.segmentLength / 2 + 1)
    var segments = 0
    var longest = 0.0
    for run in runs {
      let samples = Tachogram(self, run).resampled(parameters)
      longest = max(longest, Double(samples.count) / parameters.rate)
      segments += averaging.add(samples, to: &sum)
    }
    guard segments > 0 else {
      throw Refusal(.noLongStretch, found: longest, needed: parameters.segment)
    }
    return Spectrum(
      first: 0, spacing: parameters.rate / Double(parameters.segmentLength),
      densities: sum.map { $0 / Double(segments) })
  }
}
