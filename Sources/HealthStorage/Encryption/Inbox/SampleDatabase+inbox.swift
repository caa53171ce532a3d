import Foundation
import GRDB

/// How far an inbox was merged is stored in the same transaction as its samples. A merge that was interrupted
/// therefore goes on exactly where it stopped.
extension SampleDatabase {
  private static let owner = "org.hrgate.inbox"
  private static let key = "merged"

  /// Returns the inbox that was merged last, and its last entry in the store.
  package func inboxProgress() async throws -> SealedInbox.Progress? {
    let value = try await read { database in
      try Data.fetchOne(
        database, sql: "SELECT value FROM sync_value WHERE owner = ? AND key = ?",
        arguments: [Self.owner, Self.key])
    }
    guard let value else { return nil }
    var reader = KeyFileReader(value)
    guard let inbox = reader.bytes(InboxFormat.identifierLength), let sequence = reader.number(),
      let seriesEnd = reader.number()
    else { return nil }
    return SealedInbox.Progress(inbox: inbox, sequence: sequence, seriesEnd: seriesEnd)
  }

  static func save(_ progress: SealedInbox.Progress, in database: Database) throws {
    let value =
      progress.inbox + KeyFileReader.encoded(progress.sequence) + KeyFileReader.encoded(progress.seriesEnd)
    try database.execute(
      sql: """
        INSERT INTO sync_value (owner, key, value) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value
        """,
      arguments: [Self.owner, Self.key, Data(value)])
  }
}
