/// Why a synchronisation did not take place.
public enum HDSError: Error {
  /// There is no health data here.
  case unavailable
  /// Nothing says which types it is about.
  case noSpecifiedTypes
  case notSupported
  /// The delegate did not let it begin.
  case operationCancelled
}
