/// How far an import is, or what it came to. Each record is one of stored, replacing, outdated, present and
/// rejected once the import has ended.
public struct ImportOutcome: Sendable {
  public internal(set) var records = RecordTally()
  /// Stored as new samples.
  public internal(set) var stored = 0
  /// Stored in place of a sample with the same sync identifier and a lower version, or of a series of beats
  /// that an earlier version of this program stored at a wrong time.
  public internal(set) var replacing = 0
  /// Not stored: a sample with the same sync identifier and this or a greater version is.
  public internal(set) var outdated = 0
  /// Stored before, also in another unit, or stated in the export more than once.
  public internal(set) var present = 0
  /// Octets of the XML.
  public internal(set) var bytesRead: Int64 = 0
  /// nil where nobody knows.
  public internal(set) var totalBytes: Int64?
  /// Sources that appear to have been renamed on the phone since an earlier import.
  public internal(set) var renamed: [RenamedSource] = []
  /// The user wished it to end early.
  public internal(set) var isStopped = false
  /// What ended the reading before the export did.
  public internal(set) var obstacle: ImportObstacle?
  /// What ended the storing; the batch at which it did is not stored.
  public internal(set) var failure: (any Error)?

  /// A source whose stored samples the export states under another name.
  public struct RenamedSource: Hashable, Sendable {
    /// The name in the export.
    public let name: String
    public let earlierName: String
    /// Of the source with the earlier name.
    public let earlierBundleIdentifier: String
    /// Number of samples that are stored for both.
    public let samples: Int
  }

  mutating func end(with obstacle: ImportObstacle) {
    if obstacle == .cancelled { isStopped = true } else { self.obstacle = obstacle }
  }

  /// Whether all that the export states was looked at and nothing was wrong with the file.
  public var isComplete: Bool { obstacle == nil && failure == nil && !isStopped }

  /// Whether each record is accounted for.
  public var isBalanced: Bool {
    records.records == stored + replacing + outdated + present + records.rejected
  }

  /// What the user says of themselves, as the export states it.
  package var characteristics: [StatedCharacteristic] {
    records.characteristics.compactMap { StatedCharacteristic(name: $0.name, value: $0.value) }
  }
}
