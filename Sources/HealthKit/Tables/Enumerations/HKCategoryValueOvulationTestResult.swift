// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// The result of an ovulation test.
public enum HKCategoryValueOvulationTestResult: Int, Sendable {
  case negative = 1
  case luteinizingHormoneSurge = 2
  case indeterminate = 3
  case estrogenSurge = 4

  /// As `luteinizingHormoneSurge`.
  @available(*, deprecated, renamed: "luteinizingHormoneSurge")
  public static var positive: Self { .luteinizingHormoneSurge }
}
