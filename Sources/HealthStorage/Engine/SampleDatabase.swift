import GRDB

/// The engine behind the health store: samples with their provenance in one SQLite database.
///
/// - One writer at a time, with concurrent readers (WAL). Each read sees one snapshot.
/// - Saved data survives `kill -9` and power loss: `synchronous=FULL`.
/// - Another process may have the same file open. A write waits up to five seconds for the other's
///   transaction (``BusyTimeout``).
///
/// Times are integer microseconds since 1970. Types, units and sources are identified by strings.
package final class SampleDatabase: Sendable {
  /// The file, by its absolute path; nil for a database in memory.
  package let path: String?

  let writer: any DatabaseWriter
  let interned: InternedCache
  let interpretation: Interpretation
  /// The application that this database is used for, and its permissions.
  let admission: Admission

  /// The timeout for a file that another program has locked.
  package let timeout: BusyTimeout

  let gateway: ProgramLock
  let leases: SyncLeases
  /// Damaged blocks found so far by all users of this database.
  package let damagedBlocks: DamagedBlocks
  /// Whether reads skip damaged blocks and record them in ``damagedBlocks``, instead of failing.
  package let skipsDamagedBlocks: Bool
  let measurementTimes: MeasurementTimes

  private let signal: CommitSignal

  /// Creates a database with full access, for the system.
  /// - Parameter path: the path of the file; nil for a database in memory.
  init(
    _ writer: any DatabaseWriter, path: String?, _ interpretation: Interpretation, _ timeout: BusyTimeout
  ) {
    self.path = path
    self.timeout = timeout
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
    timeout = other.timeout
    gateway = other.gateway
    leases = other.leases
    damagedBlocks = other.damagedBlocks
    measurementTimes = other.measurementTimes
    interpretation = other.interpretation
    self.admission = admission
  }

  /// Closes the connections and writes the log back to the file. The database must not be used afterwards.
  func close() throws { try StorageError.translating { try writer.close() } }

  /// Returns this database with the permissions of an application.
  package func admitted(_ admission: Admission) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: skipsDamagedBlocks)
  }

  /// Returns this database for readers that show only what is readable, and report the contents of
  /// ``damagedBlocks``. Not for readers that store a position in the change log: they would miss a block that
  /// is repaired later.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: isSkipping)
  }

  /// Emits whenever something may have been committed: immediately for this process, within a moment for
  /// others. Does not say what changed; there may be no change at all. Meant for loops that query again.
  package func commits(_ priority: CommitPriority = .prompt) -> AsyncStream<Void> { signal.ticks(priority) }
}
