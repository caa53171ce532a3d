import Foundation
import GRDB

/// What belongs to what. Valid only within the write access that it was made in.
struct Memberships {
  let database: Database

  /// Samples of a container.
  /// - Parameter standIns: the rows that count for UUIDs that are not stored.
  func add(_ members: [UUID], to container: Int64, _ standIns: [UUID: Int64] = [:]) throws {
    let find = try database.cachedStatement(sql: "SELECT id FROM sample WHERE uuid = ?")
    for uuid in members {
      guard let member = try standIns[uuid] ?? Int64.fetchOne(find, arguments: [uuid]) else { continue }
      try add(member, to: [container])
    }
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
