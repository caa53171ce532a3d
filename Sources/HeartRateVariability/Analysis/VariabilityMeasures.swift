/// All measures of one window. Each is there or says why it is not.
public struct VariabilityMeasures: Hashable, Sendable {
  public let timeDomain: Result<TimeDomain, Refusal>
  public let poincarePlot: Result<PoincarePlot, Refusal>
  public let bandPowers: Result<BandPowers, Refusal>
  /// α1.
  public let shortAlpha: Result<Double, Refusal>
  /// α2.
  public let longAlpha: Result<Double, Refusal>
  public let sampleEntropy: Result<Double, Refusal>
}

/// What the measures of a window are computed by.
public struct VariabilityAnalysis: Hashable, Sendable {
  /// Where a spectrum comes from.
  public enum SpectrumMethod: Hashable, Sendable {
    case lombScargle(LombScargle)
    case welch(Welch)
  }

  public var requirements: Requirements
  /// Those of α1 and α2, which artefacts distort most.
  public var alphaRequirements: Requirements
  public var spectrumMethod: SpectrumMethod
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

  public func measures(of series: NNSeries) -> VariabilityMeasures {
    VariabilityMeasures(
      timeDomain: Result { () throws(Refusal) in try series.timeDomain(requirements) },
      poincarePlot: Result { () throws(Refusal) in try series.poincarePlot(requirements) },
      bandPowers: Result { () throws(Refusal) in try bandPowers(of: series) },
      shortAlpha: Result { () throws(Refusal) in
        try series.alpha(.short, requirements: alphaRequirements)
      },
      longAlpha: Result { () throws(Refusal) in try series.alpha(.long, requirements: alphaRequirements) },
      sampleEntropy: Result { () throws(Refusal) in
        try series.sampleEntropy(sampleEntropy, requirements: requirements)
      })
  }

  private func bandPowers(of series: NNSeries) throws(Refusal) -> BandPowers {
    switch spectrumMethod {
    case .lombScargle(let parameters):
      try series.bandPowers(lombScargle: parameters, requirements: requirements)
    case .welch(let parameters): try series.bandPowers(welch: parameters, requirements: requirements)
    }
  }
}
