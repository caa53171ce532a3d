/// The periodogram of unevenly spaced values (Lomb 1976, Scargle 1982).
///
/// For each frequency, a sine and a cosine are fitted to the NN intervals. Each interval counts at the time
/// of the beat that ends it. Nothing is resampled, and a gap is simply a time without beats. Without a
/// window, each of the ``NNSeries/stretches`` is fitted separately: stretches may be hours apart, and no wave
/// keeps its phase that long.
///
/// ```swift
/// let spectrum = try series.spectrum(lombScargle: LombScargle(oversampling: 4))
/// print(spectrum.power(in: .hf))
/// ```
public struct LombScargle: Hashable, Sendable {
  /// The trend that is subtracted before the fit.
  public let detrending: Detrending
  /// How many times finer the frequencies are spaced than the duration can resolve, 1 to 16.
  public let oversampling: Int
  /// The highest frequency in hertz, up to 1.
  public let highest: Double

  /// Creates parameters. Values out of range are clamped.
  public init(detrending: Detrending = .linear, oversampling: Int = 2, highest: Double = 0.4) {
    self.detrending = detrending
    self.oversampling = min(max(oversampling, 1), 16)
    self.highest = highest.isFinite ? min(max(highest, 0), 1) : 0.4
  }

  /// Maximum duration of a window in seconds. Over a longer time the heart rhythm changes too much for a
  /// spectrum, and the cost grows with the square of the duration.
  static let longestWindow = 3600.0
  /// Maximum number of intervals: about seven weeks of beats. With ``NNSeries/stretches``, the computation
  /// takes a few seconds.
  static let mostIntervals = 5_000_000
  /// Minimum number of intervals for a spectrum.
  static let leastIntervals = 10
}

extension NNSeries {
  /// Returns the periodogram as a density.
  ///
  /// *T* is the duration of the window or stretch. The frequencies are the multiples of 1/(*T*·oversampling).
  /// The density is 2·*P*·*T*/*n*, where *P* is Scargle's periodogram of the *n* detrended intervals. If
  /// there are several ``stretches``, the result is the mean of their densities, weighted by duration, at the
  /// frequencies of the longest one. Stretches with fewer than ten intervals are ignored.
  ///
  /// - Throws: `tooFewIntervals` if no stretch has ten; `windowTooLong` for a stretch of more than an hour,
  ///   or for more than five million intervals; the errors of the requirements.
  public func spectrum(
    lombScargle parameters: LombScargle = LombScargle(), requirements: Requirements = .usual
  ) throws(MeasureError) -> Spectrum {
    try spectrum(lombScargle: parameters, ofStretchesFrom: 0, requirements)
  }

  /// Returns the periodogram of those stretches that have a minimum duration.
  ///
  /// - Parameter shortest: The minimum duration of a stretch in seconds.
  /// - Throws: The errors of ``spectrum(lombScargle:requirements:)``; `noLongStretch` if all stretches are
  ///   shorter.
  func spectrum(
    lombScargle parameters: LombScargle, ofStretchesFrom shortest: Double, _ requirements: Requirements
  ) throws(MeasureError) -> Spectrum {
    try require(intervals: LombScargle.leastIntervals)
    guard intervals.count <= LombScargle.mostIntervals else {
      throw MeasureError(
        .windowTooLong, found: Double(intervals.count), needed: Double(LombScargle.mostIntervals))
    }
    try require(requirements)
    let long = stretches.filter { $0.duration >= shortest }
    guard !long.isEmpty else {
      throw MeasureError(.noLongStretch, found: stretches.map(\.duration).max() ?? 0, needed: shortest)
    }
    let counting = long.filter { $0.indices.count >= LombScargle.leastIntervals }
    guard let longest = counting.map(\.duration).max() else {
      let most = long.map(\.indices.count).max() ?? 0
      throw MeasureError(.tooFewIntervals, found: Double(most), needed: Double(LombScargle.leastIntervals))
    }
    guard longest <= LombScargle.longestWindow else {
      throw MeasureError(.windowTooLong, found: longest, needed: LombScargle.longestWindow)
    }
    let spacing = 1 / (longest * Double(parameters.oversampling))
    let count = Int(parameters.highest / spacing)
    let total = counting.reduce(0) { $0 + $1.duration }
    var densities = [Double](repeating: 0, count: count)
    let times = times
    for stretch in counting {
      let powers = powers(of: stretch, at: times, parameters.detrending, spacing: spacing, count: count)
      let scale = 2 * stretch.duration / Double(stretch.indices.count) * (stretch.duration / total)
      for index in powers.indices { densities[index] += powers[index] * scale }
    }
    return Spectrum(first: spacing, spacing: spacing, densities: densities)
  }

  private func powers(
    of stretch: Stretch, at times: [Double], _ detrending: Detrending, spacing: Double, count: Int
  ) -> [Double] {
    // Use times since the start of the stretch: sines of large angles, such as after a day, are less exact.
    let times = times[stretch.indices].map { $0 - stretch.start }
    let values = detrending.detrended(Array(intervals[stretch.indices]), at: times)
    return Periodogram.powers(of: values, at: times, spacing: spacing, count: count)
  }
}
