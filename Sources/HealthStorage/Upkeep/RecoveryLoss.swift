/// What a saved sample may have lost of what a small table said of it. The raw values are a promise.
package enum RecoveryLoss: String, Sendable, CaseIterable {
  case metadata
  case device
  /// A stand-in named "recovered" has the place of its source, or of that source's version.
  case source
  /// Its source is known by its bundle identifier alone.
  case sourceName
}
