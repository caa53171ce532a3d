// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What an event of low cardio fitness told.
public enum HKCategoryValueLowCardioFitnessEvent: Int, Sendable {
  case lowFitness = 1
}
