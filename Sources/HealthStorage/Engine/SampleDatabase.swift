import GRDB
import Synchronization

/// The engine behind the health store: samples with their provenance in one SQLite database.
///
/// - One writer at a time, readers beside it (WAL). Each read sees one snapshot.
/// - What `save` has returned from survives `kill -9` and power loss: `synchronous=FULL`.
/// - A second process may have the same file open; a write waits up to five seconds for the other's transaction.
///
/// Times are whole microseconds since 1970 throughout; a type, a unit and a source are named by their strings.
package final class SampleDatabase: Sendable {
  let writer: any DatabaseWriter
  /// What this process knows about the rows of the small tables; touched only inside a write.
  let interned = Mutex(InternedRows())

  init(_ writer: any DatabaseWriter) {
    self.writer = writer
  }
}
