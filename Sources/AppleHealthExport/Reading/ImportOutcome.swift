/// The progress or result of an import. After a complete import, each record counts as exactly one of stored,
/// replacing, outdated, present or rejected.
public struct ImportOutcome: Sendable {
  /// Counts of the records that were read so far.
  public internal(set) var records = RecordTally()
  /// Number of new samples.
  public internal(set) var stored = 0
  /// Number of samples that replaced a stored one. The stored sample had the same sync identifier and a lower
  /// version, or was a heartbeat series that an earlier version of hrgate stored with wrong times.
  public internal(set) var replacing = 0
  /// Number of samples that were not stored, because the same or a later version with their sync identifier
  /// is stored.
  public internal(set) var outdated = 0
  /// Number of samples that were not stored, because they were already stored, possibly in another unit, or
  /// occur more than once in the export.
  public internal(set) var present = 0
  /// Number of bytes of the XML read so far.
  public internal(set) var bytesRead: Int64 = 0
  /// Size of the XML in bytes; `nil` if unknown.
  public internal(set) var totalBytes: Int64?
  /// Sources that appear to have been renamed on the phone since an earlier import.
  public internal(set) var renamed: [RenamedSource] = []
  /// Whether the user stopped the import.
  public internal(set) var isStopped = false
  /// The error that ended the reading of the export early, or `nil`.
  public internal(set) var importError: ImportError?
  /// The error that ended the storing of samples, or `nil`. The batch that failed is not stored.
  public internal(set) var failure: (any Error)?

  /// A source whose samples appear to be stored already, under an earlier name.
  public struct RenamedSource: Hashable, Sendable {
    /// The name of the source in the export.
    public let name: String
    /// The name under which the samples of the source are stored.
    public let earlierName: String
    /// Bundle identifier of the source with the earlier name.
    public let earlierBundleIdentifier: String
    /// Number of samples that are stored under the earlier name and occur in the export under the new name.
    public let samples: Int
  }

  mutating func end(with importError: ImportError) {
    if importError == .cancelled { isStopped = true } else { self.importError = importError }
  }

  /// Whether the whole export was read and stored without an error.
  public var isComplete: Bool { importError == nil && failure == nil && !isStopped }

  /// Whether the counts add up to the number of records.
  public var isBalanced: Bool {
    records.records == stored + replacing + outdated + present + records.rejected
  }

  /// The user's characteristics in the export.
  package var characteristics: [StatedCharacteristic] {
    records.characteristics.compactMap { StatedCharacteristic(name: $0.name, value: $0.value) }
  }
}
