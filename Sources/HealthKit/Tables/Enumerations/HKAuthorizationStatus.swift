// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether a program may save a type. There is no such status for reading.
public enum HKAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case sharingDenied = 1
  case sharingAuthorized = 2
}
