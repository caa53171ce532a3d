import Glibc

/// Welch's averaged periodograms of the resampled tachogram (Welch 1967). This is the classical method,
/// provided for comparison.
///
/// Each run (consecutive beats without a gap or artifact) is resampled separately, so no segment spans a gap
/// or an artifact.
///
/// ```swift
/// let powers = try series.bandPowers(welch: Welch())
/// ```
public struct Welch: Hashable, Sendable {
  /// The interpolation between two beats.
  public enum Interpolation: Hashable, Sendable {
    case linear
    /// A cubic spline whose second derivative is zero at both ends.
    case cubic
  }

  /// The number of resampled values per second, 1 to 16.
  public let rate: Double
  /// The number of resampled values in a segment: a power of two from 16 to 65,536.
  public let segmentLength: Int
  /// The interpolation of the intervals at equal time steps.
  public let interpolation: Interpolation
  /// The trend that is subtracted from each segment.
  public let detrending: Detrending

  /// Creates parameters. The defaults are 4 Hz and segments of 256 s. Segments overlap by half and have a
  /// Hann window. A segment length is rounded up to a power of two, and other values out of range are
  /// clamped.
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

  /// The duration of a segment in seconds.
  public var segment: Double { Double(segmentLength) / rate }

  /// Maximum duration of a window in seconds: a day.
  static let longestWindow = 86_400.0
}

extension NNSeries {
  /// Returns the average density of all segments that fit into the runs of consecutive beats without a gap or
  /// artifact.
  ///
  /// - Throws: `noLongStretch` if every run is shorter than a segment, `windowTooLong` above a day, and the
  ///   errors of the requirements.
  public func spectrum(
    welch parameters: Welch, requirements: Requirements = .usual
  ) throws(MeasureError) -> Spectrum {
    try require(requirements)
    guard duration <= Welch.longestWindow else {
      throw MeasureError(.windowTooLong, found: duration, needed: Welch.longestWindow)
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
      throw MeasureError(.noLongStretch, found: longest, needed: parameters.segment)
    }
    return Spectrum(
      first: 0, spacing: parameters.rate / Double(parameters.segmentLength),
      densities: sum.map { $0 / Double(segments) })
  }
}

/// Computes the densities of overlapping segments with a Hann window.
struct SegmentAveraging {
  private let parameters: Welch
  private let window: [Double]
  private let transform: FourierTransform
  /// The factor that converts a squared magnitude to a one-sided density.
  private let scale: Double

  init(_ parameters: Welch) {
    self.parameters = parameters
    let length = parameters.segmentLength
    // The periodic form of the Hann window: the value after the last would equal the first.
    window = (0..<length).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(length)) }
    transform = FourierTransform(count: length)
    scale = 2 / (parameters.rate * window.reduce(0) { $0 + $1 * $1 })
  }

  /// Adds the densities of all segments.
  ///
  /// - Returns: The number of segments.
  func add(_ samples: [Double], to sum: inout [Double]) -> Int {
    let length = parameters.segmentLength
    let times = (0..<length).map(Double.init)
    var segments = 0
    for start in stride(from: 0, through: samples.count - length, by: length / 2) {
      let part = Array(samples[start..<start + length])
      let flat = parameters.detrending.detrended(part, at: times)
      let squares = transform.squaredMagnitudes(of: zip(flat, window).map { $0 * $1 })
      for index in sum.indices {
        // Do not double the lowest and highest frequency: they have no negative counterpart.
        let isSingle = index == 0 || index == length / 2
        sum[index] += squares[index] * (isSingle ? scale / 2 : scale)
      }
      segments += 1
    }
    return segments
  }
}
