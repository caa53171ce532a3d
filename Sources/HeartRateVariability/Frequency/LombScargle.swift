/// The periodogram of unevenly spaced values (Lomb 1976, Scargle 1982): each frequency's sine and cosine are
/// fitted to the NN intervals where they are, at the beats that end them. Nothing is resampled, and in a
/// window a gap is just a place with no beats. Without a window each stretch is fitted by itself, because
/// between two of them hours may lie, over which no wave keeps its phase.
public struct LombScargle: Hashable, Sendable {
  /// What is taken away before.
  public let detrending: Detrending
  /// How many frequencies there are for each that the window's duration tells apart, 1 to 16.
  public let oversampling: Int
  /// The highest frequency, in hertz, up to 1.
  public let highest: Double

  /// A number that is out of its limits is brought to the nearest that is not.
  public init(detrending: Detrending = .linear, oversampling: Int = 2, highest: Double = 0.4) {
    self.detrending = detrending
    self.oversampling = min(max(oversampling, 1), 16)
    self.highest = highest.isFinite ? min(max(highest, 0), 1) : 0.4
  }

  /// Windows of at most so many seconds: in longer ones a heart does not stay the same, and the work grows
  /// with the square.
  static let longestWindow = 3600.0
  /// With the parts of ``NNSeries/stretches`` some seconds of work: the beats of seven weeks.
  static let mostIntervals = 5_000_000
  /// Fewer intervals make no spectrum.
  static let leastIntervals = 10
}

extension NNSeries {
  /// The periodogram as a density.
  ///
  /// With *T* the duration of the window or stretch, frequencies are the multiples of 1/(*T*·oversampling),
  /// and the density is 2·*P*·*T*/*n*, where *P* is Scargle's periodogram of the *n* detrended intervals. Of
  /// several ``stretches`` it is the mean of their densities, each weighted by its duration, at the
  /// frequencies of the longest. Stretches of fewer than ten intervals do not count.
  ///
  /// - Throws: `tooFewIntervals` where none has ten, `windowTooLong` where one is longer than an hour or
  ///   there are more than five million intervals, and what the requirements refuse.
  public func spectrum(
    lombScargle parameters: LombScargle = LombScargle(), requirements: Requirements = .usual
  ) throws(Refusal) -> Spectrum {
    try spectrum(lombScargle: parameters, ofStretchesFrom: 0, requirements)
  }

  /// - Parameter shortest: Stretches that last less do not count. Seconds.
  /// - Throws: Also `noLongStretch`.
  func spectrum(
    lombScargle parameters: LombScargle, ofStretchesFrom shortest: Double, _ requirements: Requirements
  ) throws(Refusal) -> Spectrum {
    try require(intervals: LombScargle.leastIntervals)
    guard intervals.count <= LombScargle.mostIntervals else {
      throw Refusal(
        .windowTooLong, found: Double(intervals.count), needed: Double(LombScargle.mostIntervals))
    }
    try require(requirements)
    let long = stretches.filter { $0.duration >= shortest }
    guard !long.isEmpty else {
      throw Refusal(.noLongStretch, found: stretches.map(\.duration).max() ?? 0, needed: shortest)
    }
    let counting = long.filter { $0.indices.count >= LombScargle.leastIntervals }
    guard let longest = counting.map(\.duration).max() else {
      let most = long.map(\.indices.count).max() ?? 0
      throw Refusal(.tooFewIntervals, found: Double(most), needed: Double(LombScargle.leastIntervals))
    }
    guard longest <= LombScargle.longestWindow else {
      throw Refusal(.windowTooLong, found: longest, needed: LombScargle.longestWindow)
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
    // From the stretch's own beginning: a day later the angles would have lost digits.
    let times = times[stretch.indices].map { $0 - stretch.start }
    let values = detrending.detrended(Array(intervals[stretch.indices]), at: times)
    return Periodogram.powers(of: values, at: times, spacing: spacing, count: count)
  }
}
