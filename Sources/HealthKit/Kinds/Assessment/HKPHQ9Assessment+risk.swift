extension HKPHQ9Assessment.Risk {
  /// By the cut-offs of Kroenke, Spitzer and Williams, "The PHQ-9: validity of a brief depression severity
  /// measure", Journal of General Internal Medicine 16 (2001): mild from 5, moderate from 10, moderately
  /// severe from 15, severe from 20.
  init(score: Int) {
    switch score {
    case ..<5: self = .noneToMinimal
    case ..<10: self = .mild
    case ..<15: self = .moderate
    case ..<20: self = .moderatelySevere
    default: self = .severe
    }
  }
}
