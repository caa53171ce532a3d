import Foundation
import GRDB

/// What belongs to what. Valid only within the write access that it was made in.
struct Memberships {
  let database: Database

  /// Samples of a container.
  /// - Parameter standIns: the rows that count for UUIDs that are not stored.
  func add(_ members: [UUID], to container: Int64, _ standIns: [UUID: Int64] = [:]) throws {
    for uuid in members {
      guard let member = try standIns[uuid] ?? row(of: uuid) else { continue }
      try add(member, to: [container])
    }
  }

  /// nil for an object that is not stored.
  func row(of uuid: UUID) throws -> Int64? {
    let statement = try database.cachedStatement(sql: "SELECT id FROM sample WHERE uuid = ?")
    return try Int64.fetchOne(statement, arguments: [uuid])
  }

  /// The rows that replaced samples by their sync identifiers.
  func replacements(of uuids: Set<UUID>) throws -> [Int64] {
    guard !uuids.isEmpty else { return [] }
    let condition = SampleFilter.uuids(uuids).conditionRegardlessOfPermission
    return try Int64.fetchAll(
      database,
      sql: """
        SELECT synced_object.sample FROM deleted_object
        JOIN synced_object ON synced_object.source = deleted_object.source
          AND synced_object.type = deleted_object.type AND synced_object.identifier = sync_identifier
        WHERE \(condition.sql)
        """,
      arguments: condition.arguments)
  }

  /// A sample of some containers.
  func add(_ member: Int64, to containers: [Int64]) throws {
    let insert = try database.cachedStatement(
      sql: "INSERT INTO membership (container, member) VALUES (?, ?) ON CONFLICT DO NOTHING")
    for container in containers { try insert.execute(arguments: [container, member]) }
  }

  func containers(of member: Int64) throws -> [Int64] {
    let statement = try database.cachedStatement(sql: "SELECT container FROM membership WHERE member = ?")
    return try Int64.fetchAll(statement, arguments: [member])
  }
}
