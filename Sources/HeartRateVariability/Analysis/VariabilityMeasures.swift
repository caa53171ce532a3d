/// All measures of one time window. Each is a value, or the reason why it cannot be computed.
public struct VariabilityMeasures: Hashable, Sendable {
  /// Measures of the time domain, in milliseconds and percent.
  public let timeDomain: Result<TimeDomain, MeasureError>
  /// The widths SD1 and SD2 of the Poincaré plot, in milliseconds.
  public let poincarePlot: Result<PoincarePlot, MeasureError>
  /// The powers of the VLF, LF and HF bands, in ms².
  public let bandPowers: Result<BandPowers, MeasureError>
  /// The short-term scaling exponent α1 of detrended fluctuation analysis.
  public let shortAlpha: Result<Double, MeasureError>
  /// The long-term scaling exponent α2 of detrended fluctuation analysis.
  public let longAlpha: Result<Double, MeasureError>
  /// The sample entropy, without a unit.
  public let sampleEntropy: Result<Double, MeasureError>
}

/// The parameters for computing all measures of a window.
///
/// ```swift
/// let analysis = VariabilityAnalysis()
/// for window in WindowPlan.fiveMinutes.windows(of: recording) {
///   let measures = analysis.measures(of: recording.nn(in: window))
///   if case .success(let timeDomain) = measures.timeDomain { print(timeDomain.rmssd) }
/// }
/// ```
public struct VariabilityAnalysis: Hashable, Sendable {
  /// The method for computing the spectrum.
  public enum SpectrumMethod: Hashable, Sendable {
    case lombScargle(LombScargle)
    case welch(Welch)
  }

  /// The coverage and quality that all measures except α1 and α2 require.
  public var requirements: Requirements
  /// The coverage and quality that α1 and α2 require. Artifacts distort these two measures the most.
  public var alphaRequirements: Requirements
  /// The method for ``VariabilityMeasures/bandPowers``.
  public var spectrumMethod: SpectrumMethod
  /// The parameters of ``VariabilityMeasures/sampleEntropy``.
  public var sampleEntropy: SampleEntropy

  public init(
    requirements: Requirements = .usual, alphaRequirements: Requirements = .clean,
    spectrumMethod: SpectrumMethod = .lombScargle(LombScargle()),
    sampleEntropy: SampleEntropy = SampleEntropy()
  ) {
    self.requirements = requirements
    self.alphaRequirements = alphaRequirements
    self.spectrumMethod = spectrumMethod
    self.sampleEntropy = sampleEntropy
  }

  /// Computes all measures of a series.
  public func measures(of series: NNSeries) -> VariabilityMeasures {
    VariabilityMeasures(
      timeDomain: Result { () throws(MeasureError) in try series.timeDomain(requirements) },
      poincarePlot: Result { () throws(MeasureError) in try series.poincarePlot(requirements) },
      bandPowers: Result { () throws(MeasureError) in try bandPowers(of: series) },
      shortAlpha: Result { () throws(MeasureError) in
        try series.alpha(.short, requirements: alphaRequirements)
      },
      longAlpha: Result { () throws(MeasureError) in try series.alpha(.long, requirements: alphaRequirements)
      },
      sampleEntropy: Result { () throws(MeasureError) in
        try series.sampleEntropy(sampleEntropy, requirements: requirements)
      })
  }

  private func bandPowers(of series: NNSeries) throws(MeasureError) -> BandPowers {
    switch spectrumMethod {
    case .lombScargle(let parameters):
      try series.bandPowers(lombScargle: parameters, requirements: requirements)
    case .welch(let parameters): try series.bandPowers(welch: parameters, requirements: requirements)
    }
  }
}
