package import HeartRateVariability

/// The figures of a window, some of which can be missing.
package protocol WithheldFigures {
  /// The reasons for missing figures, by name.
  var withheld: [String: String]? { get set }
}

extension WithheldFigures {
  /// Returns the measure. On failure, records the reason under the names of its figures and returns nil.
  package mutating func taken<Measure>(_ result: Result<Measure, Refusal>, _ names: String...) -> Measure? {
    switch result {
    case .success(let measure): return measure
    case .failure(let refusal):
      for name in names { withhold(name, refusal.reason) }
      return nil
    }
  }

  /// Returns a figure. If it is nil, records that the values do not vary.
  package mutating func present(_ figure: Double?, _ name: String) -> Double? {
    if figure == nil { withhold(name, .noVariation) }
    return figure
  }

  private mutating func withhold(_ name: String, _ reason: Refusal.Reason) {
    withheld = (withheld ?? [:]).merging([name: reason.rawValue]) { _, new in new }
  }
}
