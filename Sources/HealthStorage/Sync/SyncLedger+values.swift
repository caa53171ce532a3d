package import Foundation
import GRDB

extension SyncLedger {
  /// What the owner keeps under a key.
  ///
  /// Blocks, as the two below: they stand behind an interface without `async`. The user's own handle keeps
  /// its values apart from every program's.
  package func value(forKey key: String) throws -> Data? {
    try database.readNow {
      try Data.fetchOne(
        $0, sql: "SELECT value FROM sync_value WHERE owner = ? AND key = ?", arguments: [owner ?? "", key])
    }
  }

  package func setValue(_ value: Data, forKey key: String) throws {
    try database.writeNow {
      try $0.execute(
        sql: """
          INSERT INTO sync_value (owner, key, value) VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET value = excluded.value
          """,
        arguments: [owner ?? "", key, value])
    }
  }

  package func removeValue(forKey key: String) throws {
    try database.writeNow {
      try $0.execute(
        sql: "DELETE FROM sync_value WHERE owner = ? AND key = ?", arguments: [owner ?? "", key])
    }
  }
}
