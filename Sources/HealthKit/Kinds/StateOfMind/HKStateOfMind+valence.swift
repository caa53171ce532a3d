extension HKStateOfMind.ValenceClassification {
  /// The band of a valence; nil outside −1…1.
  ///
  /// Apple does not publish where the bands begin. Here they are seven of equal width, 2/7, which agrees with
  /// what has been observed (0.27 is slightly pleasant, 0.5 pleasant, −0.52 unpleasant). A valence on a bound
  /// is of the band nearer to neutral.
  public init?(valence: Double) {
    guard (-1...1).contains(valence) else { return nil }
    let sevenths = valence.magnitude * 7
    let isPleasant = valence > 0
    switch sevenths {
    case ...1: self = .neutral
    case ...3: self = isPleasant ? .slightlyPleasant : .slightlyUnpleasant
    case ...5: self = isPleasant ? .pleasant : .unpleasant
    default: self = isPleasant ? .veryPleasant : .veryUnpleasant
    }
  }
}
