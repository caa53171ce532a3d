// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether a request for permission would show the user anything.
public enum HKAuthorizationRequestStatus: Int, Sendable {
  case unknown = 0
  case shouldRequest = 1
  case unnecessary = 2
}
