/// The powers of the frequency domain (Task Force 1996, table 2).
public struct BandPowers: Hashable, Sendable {
  /// 0.0033 to 0.04 Hz, in ms². It is of five minutes on, the longest wave of it: where the window is shorter
  /// there is `windowTooShort`, where every stretch is `noLongStretch`, and `segmentTooShort` where Welch's
  /// segments are.
  public let vlf: Result<Double, Refusal>
  /// 0.04 to 0.15 Hz, in ms².
  public let lf: Double
  /// 0.15 to 0.4 Hz, in ms².
  public let hf: Double

  /// LF over HF; `nil` where there is no HF. It is no balance of two nerves (Billman 2013): it moves with the
  /// breath, and packages differ by up to three times.
  public var ratio: Double? { hf > 0 ? lf / hf : nil }
  /// LF in percent of LF + HF, the Task Force's normalised units; `nil` where both are zero.
  public var lfNormalized: Double? { lf + hf > 0 ? 100 * lf / (lf + hf) : nil }
  /// HF in percent of LF + HF; `nil` where both are zero.
  public var hfNormalized: Double? { lf + hf > 0 ? 100 * hf / (lf + hf) : nil }
  /// All three, in ms²; without VLF, where there is none.
  public var total: Double { ((try? vlf.get()) ?? 0) + lf + hf }

  fileprivate init(of spectrum: Spectrum, vlf: Result<Double, Refusal>) {
    self.vlf = vlf
    lf = spectrum.power(in: .lf)
    hf = spectrum.power(in: .hf)
  }

  /// Seconds: the slowest wave of VLF, about 1/0.0033 Hz.
  static let longestWave = 300.0
}

extension NNSeries {
  /// Seconds that a window has at least: five waves of the slowest of LF.
  static let shortestSpectrum = 120.0

  /// The powers by Lomb and Scargle's periodogram. Of several ``stretches``, LF and HF are of those that last
  /// two minutes at least, and VLF of those that last five.
  ///
  /// - Throws: `windowTooShort` below two minutes, `noLongStretch` where every stretch is shorter, and what
  ///   ``spectrum(lombScargle:requirements:)`` throws.
  public func bandPowers(
    lombScargle parameters: LombScargle = LombScargle(), requirements: Requirements = .usual
  ) throws(Refusal) -> BandPowers {
    try require(duration: Self.shortestSpectrum)
    let spectrum = try spectrum(lombScargle: parameters, ofStretchesFrom: Self.shortestSpectrum, requirements)
    let isSlow = stretches.allSatisfy {
      $0.duration >= BandPowers.longestWave || $0.duration < Self.shortestSpectrum
    }
    let vlf = Result { () throws(Refusal) in
      try require(duration: BandPowers.longestWave)
      let slow =
        isSlow
        ? spectrum
        : try self.spectrum(lombScargle: parameters, ofStretchesFrom: BandPowers.longestWave, requirements)
      return slow.power(in: .vlf)
    }
    return BandPowers(of: spectrum, vlf: vlf)
  }

  /// The powers by Welch's averaged periodograms. By default its segments are shorter than VLF's longest
  /// wave, and there is no VLF.
  ///
  /// - Throws: `windowTooShort` below two minutes, and what ``spectrum(welch:requirements:)`` throws.
  public func bandPowers(
    welch parameters: Welch, requirements: Requirements = .usual
  ) throws(Refusal) -> BandPowers {
    try require(duration: Self.shortestSpectrum)
    let spectrum = try spectrum(welch: parameters, requirements: requirements)
    let vlf = Result { () throws(Refusal) in
      try require(duration: BandPowers.longestWave)
      guard parameters.segment >= BandPowers.longestWave else {
        throw Refusal(.segmentTooShort, found: parameters.segment, needed: BandPowers.longestWave)
      }
      return spectrum.power(in: .vlf)
    }
    return BandPowers(of: spectrum, vlf: vlf)
  }

  /// - Throws: `windowTooShort`.
  private func require(duration needed: Double) throws(Refusal) {
    guard duration >= needed else { throw Refusal(.windowTooShort, found: duration, needed: needed) }
  }
}
