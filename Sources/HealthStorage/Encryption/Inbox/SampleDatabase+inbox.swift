import Foundation
import GRDB

/// The progress of merging an inbox into the store is saved in the same transaction as the merged samples. So
/// an interrupted merge continues exactly where it stopped.
extension SampleDatabase {
  private static let owner = "org.hrgate.inbox"
  private static let key = "merged"

  /// Returns which inbox was merged last, and up to which entry. Returns `nil` if no inbox was merged.
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
