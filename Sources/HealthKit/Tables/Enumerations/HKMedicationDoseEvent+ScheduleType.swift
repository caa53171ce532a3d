// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKMedicationDoseEvent {
  /// Whether a dose was scheduled.
  public enum ScheduleType: Int, Sendable {
    case asNeeded = 1
    case schedule = 2
  }
}
