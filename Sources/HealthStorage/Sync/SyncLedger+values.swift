package import Foundation
import GRDB

extension SyncLedger {
  /// Returns the value of a key. Each owner has its own keys.
  ///
  /// This method and the two at the end of this extension are synchronous, because a protocol requires it.
  package func value(forKey key: String) throws -> Data? {
    try database.readNow {
      try Data.fetchOne(
        $0, sql: "SELECT value FROM sync_value WHERE owner = ? AND key = ?", arguments: [owner ?? "", key])
    }
  }

  /// Returns the owner's values whose keys start with `prefix`, sorted by key.
  package func values(underKeysFrom prefix: String) async throws -> [(key: String, value: Data)] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT key, value FROM sync_value WHERE owner = ? AND substr(key, 1, ?) = ? ORDER BY key
          """,
        arguments: [owner ?? "", prefix.unicodeScalars.count, prefix]
      ).map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }
    }
  }

  /// Stores values in one transaction. A `nil` value deletes its key.
  package func setValues(_ values: [String: Data?]) async throws {
    try await database.write { database in
      for (key, value) in values {
        if let value {
          try database.execute(
            sql: """
              INSERT INTO sync_value (owner, key, value) VALUES (?, ?, ?)
              ON CONFLICT DO UPDATE SET value = excluded.value
              """,
            arguments: [owner ?? "", key, value])
        } else {
          try database.execute(
            sql: "DELETE FROM sync_value WHERE owner = ? AND key = ?", arguments: [owner ?? "", key])
        }
      }
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
