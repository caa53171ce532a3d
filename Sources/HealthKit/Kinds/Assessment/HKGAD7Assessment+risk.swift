extension HKGAD7Assessment.Risk {
  /// By the cut-offs of Spitzer, Kroenke, Williams and Löwe, "A brief measure for assessing generalized
  /// anxiety disorder: the GAD-7", Archives of Internal Medicine 166 (2006): mild from 5, moderate from 10,
  /// severe from 15.
  init(score: Int) {
    switch score {
    case ..<5: self = .noneToMinimal
    case ..<10: self = .mild
    case ..<15: self = .moderate
    default: self = .severe
    }
  }
}
