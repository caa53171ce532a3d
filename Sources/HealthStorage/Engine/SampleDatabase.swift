import GRDB

/// The database of a health store: samples with their source and device, in one SQLite file.
///
/// - One writer at a time, with concurrent readers (WAL). Each read sees one snapshot.
/// - Saved data survives `kill -9` and a power failure, because of `synchronous=FULL`.
/// - Another process may have the same file open. A write waits up to five seconds for the other's
///   transaction (``BusyTimeout``).
///
/// Times are whole microseconds since 1970. Types, units and sources are identified by strings.
package final class SampleDatabase: Sendable {
  /// The absolute path of the file; `nil` for a database in memory.
  package let path: String?

  let writer: any DatabaseWriter
  let interned: InternedCache
  let interpretation: Interpretation
  /// For which application this database is used, and how.
  let admission: Admission

  /// How long to wait if another program has locked the file.
  package let timeout: BusyTimeout

  let gateway: ProgramLock
  let leases: SyncLeases
  /// The damaged compressed segments that were found so far. All objects that share this database also share
  /// this list.
  package let damagedBlocks: DamagedBlocks
  /// Whether reads skip damaged compressed segments and record them in ``damagedBlocks``. If `false`, a read
  /// fails at a damaged segment.
  package let skipsDamagedBlocks: Bool
  let measurementTimes: MeasurementTimes

  private let signal: CommitSignal

  /// Creates a database with full access.
  /// - Parameter path: The path of the file; `nil` for a database in memory.
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

  /// Closes the connections, and moves the content of the write-ahead log into the database file. The
  /// database must not be used afterwards.
  func close() throws { try StorageError.translating { try writer.close() } }

  /// Returns a database object for the same file with the permissions of an application.
  package func admitted(_ admission: Admission) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: skipsDamagedBlocks)
  }

  /// Returns a database object for the same file whose reads skip damaged compressed segments. Use it to
  /// display samples, and also display ``damagedBlocks``. Do not use it if a position in the change log is
  /// stored, as in a sync: a segment that is repaired later would be missed.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: isSkipping)
  }

  /// Returns a stream with an element each time something may have been committed: at once by this process,
  /// within a moment by others. It does not tell what has changed, and possibly nothing has. The consumer
  /// should query again.
  package func commits(_ priority: CommitPriority = .prompt) -> AsyncStream<Void> { signal.ticks(priority) }
}
