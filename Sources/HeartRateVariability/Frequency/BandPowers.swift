/// The powers of the frequency bands (Task Force 1996, table 2).
///
/// ```swift
/// let powers = try series.bandPowers()
/// print(powers.lf, powers.hf, powers.ratio ?? 0)
/// ```
public struct BandPowers: Hashable, Sendable {
  /// The power from 0.0033 to 0.04 Hz in ms².
  ///
  /// It requires five minutes, the period of the slowest wave in the band. The error is `windowTooShort` for
  /// a shorter window, `noLongStretch` if all ``NNSeries/stretches`` are shorter, and `segmentTooShort` if
  /// the segments of Welch's method are shorter.
  public let vlf: Result<Double, MeasureError>
  /// The power from 0.04 to 0.15 Hz in ms².
  public let lf: Double
  /// The power from 0.15 to 0.4 Hz in ms².
  public let hf: Double

  /// LF divided by HF, or `nil` if HF is 0. It does not measure the balance of sympathetic and vagal activity
  /// (Billman 2013). It depends on breathing, and different programs compute values that differ by a factor
  /// of up to three.
  public var ratio: Double? { hf > 0 ? lf / hf : nil }
  /// LF in percent of LF + HF, which the Task Force calls normalized units. It is `nil` if both are 0.
  public var lfNormalized: Double? { lf + hf > 0 ? 100 * lf / (lf + hf) : nil }
  /// HF in percent of LF + HF, or `nil` if both are 0.
  public var hfNormalized: Double? { lf + hf > 0 ? 100 * hf / (lf + hf) : nil }
  /// The sum of the powers in ms²: LF and HF, and VLF if it is available.
  public var total: Double { ((try? vlf.get()) ?? 0) + lf + hf }

  fileprivate init(of spectrum: Spectrum, vlf: Result<Double, MeasureError>) {
    self.vlf = vlf
    lf = spectrum.power(in: .lf)
    hf = spectrum.power(in: .hf)
  }

  /// The period in seconds of the slowest wave in the VLF band, about 1/(0.0033 Hz).
  static let longestWave = 300.0
}

extension NNSeries {
  /// Minimum duration of a window in seconds: about five periods of the slowest wave in the LF band.
  static let shortestSpectrum = 120.0

  /// Computes the powers from the Lomb–Scargle periodogram. If there are several ``stretches``, LF and HF are
  /// computed from those of at least two minutes, and VLF from those of at least five.
  ///
  /// - Throws: `windowTooShort` below two minutes, `noLongStretch` if all stretches are shorter, and the
  ///   errors of ``spectrum(lombScargle:requirements:)``.
  public func bandPowers(
    lombScargle parameters: LombScargle = LombScargle(), requirements: Requirements = .usual
  ) throws(MeasureError) -> BandPowers {
    try require(duration: Self.shortestSpectrum)
    let spectrum = try spectrum(lombScargle: parameters, ofStretchesFrom: Self.shortestSpectrum, requirements)
    let isSlow = stretches.allSatisfy {
      $0.duration >= BandPowers.longestWave || $0.duration < Self.shortestSpectrum
    }
    let vlf = Result { () throws(MeasureError) in
      try require(duration: BandPowers.longestWave)
      let slow =
        isSlow
        ? spectrum
        : try self.spectrum(lombScargle: parameters, ofStretchesFrom: BandPowers.longestWave, requirements)
      return slow.power(in: .vlf)
    }
    return BandPowers(of: spectrum, vlf: vlf)
  }

  /// Computes the powers by Welch's method. With the default parameters VLF is not available, because a
  /// segment of 256 s is shorter than the slowest wave in that band.
  ///
  /// - Throws: `windowTooShort` below two minutes, and the errors of ``spectrum(welch:requirements:)``.
  public func bandPowers(
    welch parameters: Welch, requirements: Requirements = .usual
  ) throws(MeasureError) -> BandPowers {
    try require(duration: Self.shortestSpectrum)
    let spectrum = try spectrum(welch: parameters, requirements: requirements)
    let vlf = Result { () throws(MeasureError) in
      try require(duration: BandPowers.longestWave)
      guard parameters.segment >= BandPowers.longestWave else {
        throw MeasureError(.segmentTooShort, found: parameters.segment, needed: BandPowers.longestWave)
      }
      return spectrum.power(in: .vlf)
    }
    return BandPowers(of: spectrum, vlf: vlf)
  }

  /// Checks that the window is long enough.
  ///
  /// - Throws: `windowTooShort`.
  private func require(duration needed: Double) throws(MeasureError) {
    guard duration >= needed else { throw MeasureError(.windowTooShort, found: duration, needed: needed) }
  }
}
