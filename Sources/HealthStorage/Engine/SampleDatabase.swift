import GRDB

/// The database of a health store: samples with their source and device, in one SQLite file.
///
/// - One writer at a time, with concurrent readers (WAL). Each read sees one snapshot.
/// - Saved data survives `kill -9` and a power failure, because of `synchronous=FULL`.
/// - Several processes may have the file open. A write waits up to five seconds for another process's
///   transaction (``BusyTimeout``).
///
/// Times are whole microseconds since 1970. Types, units and sources are identified by strings.
package final class SampleDatabase: Sendable {
  /// The absolute path of the file; `nil` for a database in memory.
  package let path: String?
  /// The file that was opened; `nil` for a database in memory.
  let file: FileIdentity.Number?

  let writer: any DatabaseWriter
  let interned: InternedCache
  let interpretation: Interpretation
  /// The application that uses this database object, and what it does with it.
  let admission: Admission

  /// How long to wait while another program has the file locked.
  package let timeout: BusyTimeout

  let gateway: ProgramLock
  let leases: SyncLeases
  /// The damaged compressed segments found so far. All objects for this database share the list.
  package let damagedBlocks: DamagedBlocks
  /// Whether reads skip damaged compressed segments and record them in ``damagedBlocks``. If `false`, a read
  /// fails at a damaged segment.
  package let skipsDamagedBlocks: Bool
  let measurementTimes: MeasurementTimes
  let lastReads: LastReads
  /// Whether to store when the application of ``admission`` reads.
  let recordsReads: Bool

  private let signal: CommitSignal

  /// Creates a database with full access.
  /// - Parameter path: The path of the file; `nil` for a database in memory.
  init(
    _ writer: any DatabaseWriter, path: String?, _ interpretation: Interpretation, _ timeout: BusyTimeout
  ) {
    self.path = path
    file = path.flatMap(FileIdentity.number)
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
    lastReads = LastReads()
    recordsReads = false
    measurementTimes = MeasurementTimes()
    writer.add(transactionObserver: OwnCommits(signal), extent: .databaseLifetime)
  }

  private init(
    _ other: SampleDatabase, for admission: Admission, skipsDamagedBlocks: Bool, recordsReads: Bool
  ) {
    self.skipsDamagedBlocks = skipsDamagedBlocks
    self.recordsReads = recordsReads
    lastReads = other.lastReads
    (path, file) = (other.path, other.file)
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
  /// - Parameter recordsReads: Whether the application itself reads, so that the user can see when it last
  ///   did.
  package func admitted(_ admission: Admission, recordsReads: Bool = false) -> SampleDatabase {
    SampleDatabase(
      self, for: admission, skipsDamagedBlocks: skipsDamagedBlocks, recordsReads: recordsReads)
  }

  /// Returns a database object for the same file whose reads skip damaged compressed segments. Use it to
  /// display samples, together with ``damagedBlocks``. Do not use it for readers that store a change log
  /// position, such as a sync: they would miss a segment that is repaired later.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) -> SampleDatabase {
    SampleDatabase(self, for: admission, skipsDamagedBlocks: isSkipping, recordsReads: recordsReads)
  }

  /// Returns a stream with an element each time something may have been committed. Commits of this process
  /// are reported at once, those of others within a moment. An element does not tell what has changed, and
  /// possibly nothing has, so the consumer should query again.
  package func commits(_ priority: CommitPriority = .prompt) -> AsyncStream<Void> { signal.ticks(priority) }
}
