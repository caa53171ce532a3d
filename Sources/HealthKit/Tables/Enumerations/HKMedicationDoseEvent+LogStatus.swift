// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKMedicationDoseEvent {
  /// What became of a dose.
  public enum LogStatus: Int, Sendable {
    case notInteracted = 1
    case notificationNotSent = 2
    case snoozed = 3
    case taken = 4
    case skipped = 5
    case notLogged = 6
  }
}
