/// What recovered samples may have lost because a row in a small table was lost. The raw values are stable.
package enum RecoveryLoss: String, Sendable, CaseIterable {
  case metadata
  case device
  /// The source, or the version of the source, was replaced by a placeholder named "recovered".
  case source
  /// The source's name was lost; its bundle identifier is used instead.
  case sourceName
}
