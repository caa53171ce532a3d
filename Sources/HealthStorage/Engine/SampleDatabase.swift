import GRDB

/// The engine behind the health store: samples with their provenance in one SQLite database.
///
/// - One writer at a time, readers beside it (WAL). Each read sees one snapshot.
/// - What `save` has returned from survives `kill -9` and power loss: `synchronous=FULL`.
/// - A second process may have the same file open; a write waits up to five seconds for the other's
///   transaction (``BusyPatience``).
///
/// Times are whole microseconds since 1970 throughout; a type, a unit and a source are named by their
/// strings.
package final class SampleDatabase: Sendable {
  /// The file, by its absolute path; nil for a database in memory.
  package let path: String?

  let writer: any DatabaseWriter
  let interned: InternedCache
  let interpretation: Interpretation
  /// On whose behalf, and for what.
  let admission: Admission

  /// With a file that another program has locked.
  package let patience: BusyPatience

  let gateway: ProgramLock
  let leases: SyncLeases
  /// Those that were met, by whoever has this database.
  package let damagedBlocks: DamagedBlocks
  /// Whether reads skip damaged blocks and record them in ``damagedBlocks``, instead of failing.
  package let skipsDamagedBlocks: Bool
  let measurementTimes: MeasurementTimes

  private let signal: CommitSignal

  /// For the system.
  /// - Parameter path: of the file; nil for a database in memory.
  init(
    _ writer: any DatabaseWriter, path: String?, _ interpretation: Interpretation, _ patience: BusyPatience
  ) {
    self.path = path
    self.patience = patience
    self.writer = writer
    self.interpretation = interpretation
    interned = InternedCache()
    admission = .system
    signal = CommitSignal(path: path)
    gateway = ProgramLock(ofGatewayOfDatabaseAt: path)
    leases = SyncLeases()
    damagedBlocks = DamagedBlocks()
    skipsDamagedBlocks = false
    measurementTimes = MeasurementTimes()
    writer.add(transactionObserver: OwnCommits(signal), extent: .databaseLifetime)
  }

  private init(_ other: SampleDatabase, for admission: Admission, skipsDamagedBlocks: Bool) {
    self.skipsDamagedBlocks = skipsDamagedBlocks
    path = other.path
    writer = other.writer
    interned = other.interned
    signal = other.signal
    patience = other.patience
    gateway = other.gateway
    leases = other.leases
    damagedBlocks = other.damagedBlocks
    measurementTimes = other.measurementTimes
    interpretation = other.interpretation
    self.admission = admission
  }

  /// To be called when nobody uses it any more: what is in the log goes into the file.
  func close() throws { try StorageFailure.translating { try writer.close() } }

  /// This database as it is for an application.
  package func admitted(_ admission: Admission) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: skipsDamagedBlocks)
  }

  /// This database for readers that show what is readable, and report what ``damagedBlocks`` then holds. Not
  /// for a reader that keeps a position in the change log: it would never see a block that is repaired later.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: isSkipping)
  }

  /// A tick whenever something may have been committed, by this process at once, by another within a moment.
  /// For a loop that looks again: a tick says nothing of what changed, and there may be nothing.
  package func commits(_ haste: CommitHaste = .prompt) -> AsyncStream<Void> { signal.ticks(haste) }
}
