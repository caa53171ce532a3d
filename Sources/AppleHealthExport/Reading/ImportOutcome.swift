/// The progress or result of an import. After the import, each record is counted as stored, replacing,
/// outdated, present or rejected.
public struct ImportOutcome: Sendable {
  /// Counts of the records that were read so far.
  public internal(set) var records = RecordTally()
  /// Number of new samples.
  public internal(set) var stored = 0
  /// Number of samples that replaced one with the same sync identifier and a lower version, or a heartbeat
  /// series that an earlier version of this program stored with wrong times.
  public internal(set) var replacing = 0
  /// Number of samples of which the same or a later version of the sync identifier is stored.
  public internal(set) var outdated = 0
  /// Number of samples that were already stored, also in another unit, or that occur more than once in the
  /// export.
  public internal(set) var present = 0
  /// Number of bytes read of the XML.
  public internal(set) var bytesRead: Int64 = 0
  /// Size of the XML in bytes; `nil` if unknown.
  public internal(set) var totalBytes: Int64?
  /// Sources that appear to have been renamed on the phone since an earlier import.
  public internal(set) var renamed: [RenamedSource] = []
  /// Whether the user stopped the import.
  public internal(set) var isStopped = false
  /// The error that ended reading early.
  public internal(set) var obstacle: ImportError?
  /// The error that ended storing. The batch that failed is not stored.
  public internal(set) var failure: (any Error)?

  /// A source whose stored samples have another source name in the export.
  public struct RenamedSource: Hashable, Sendable {
    /// The name in the export.
    public let name: String
    /// The name of the stored source.
    public let earlierName: String
    /// Bundle identifier of the source with the earlier name.
    public let earlierBundleIdentifier: String
    /// Number of samples stored for both names.
    public let samples: Int
  }

  mutating func end(with obstacle: ImportError) {
    if obstacle == .cancelled { isStopped = true } else { self.obstacle = obstacle }
  }

  /// Whether the whole export was processed without an error of the file or the store.
  public var isComplete: Bool { obstacle == nil && failure == nil && !isStopped }

  /// Whether each record is accounted for.
  public var isBalanced: Bool {
    records.records == stored + replacing + outdated + present + records.rejected
  }

  /// The user's characteristics in the export.
  package var characteristics: [StatedCharacteristic] {
    records.characteristics.compactMap { StatedCharacteristic(name: $0.name, value: $0.value) }
  }
}
