package import HeartRateVariability

/// Figures of a window, of which single ones may be absent.
package protocol WithheldFigures {
  /// Why single figures are absent, by their names.
  var withheld: [String: String]? { get set }
}

extension WithheldFigures {
  /// The measure; or the reason why there is none, under the names of its figures.
  package mutating func taken<Measure>(_ result: Result<Measure, Refusal>, _ names: String...) -> Measure? {
    switch result {
    case .success(let measure): return measure
    case .failure(let refusal):
      for name in names { withhold(name, refusal.reason) }
      return nil
    }
  }

  /// A figure that there is not where nothing varies.
  package mutating func present(_ figure: Double?, _ name: String) -> Double? {
    if figure == nil { withhold(name, .noVariation) }
    return figure
  }

  private mutating func withhold(_ name: String, _ reason: Refusal.Reason) {
    withheld = (withheld ?? [:]).merging([name: reason.rawValue]) { _, new in new }
  }
}
