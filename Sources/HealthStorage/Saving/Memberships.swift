import Foundation
import GRDB

/// Reads and changes the assignment of samples to containers, such as workouts and correlations. Use it only
/// inside the database access in which it was created.
struct Memberships {
  /// A container, or an activity (`part`) in it.
  struct Holder {
    var container: Int64
    var part: UUID?
  }

  let database: Database

  /// Adds samples to a container.
  /// - Parameter replacementRows: The stored samples that replace samples that were not saved.
  func add(_ members: [UUID], to container: Int64, _ replacementRows: ReplacementRows) throws {
    for uuid in members {
      guard let member = try replacementRows[uuid] ?? row(of: uuid) else { continue }
      try add(member, to: [container])
    }
  }

  /// Returns the row ID of a sample; `nil` if it is not stored.
  func row(of uuid: UUID) throws -> Int64? {
    // Use a numbered parameter, because the union consists of several queries. SQLite stops at the first
    // match.
    let samples = try SampleTables(in: database).union { "SELECT id FROM \($0.sql) WHERE uuid = ?1" }
    return try Int64.fetchOne(database.cachedStatement(sql: samples.sql), arguments: [uuid])
  }

  /// Returns the row IDs of samples. For a sample that was replaced, returns its newer version. Deleted
  /// samples are omitted.
  /// - Parameter replacementRows: The stored samples that replace samples that were not saved.
  func effectiveRows(for uuids: [UUID], _ replacementRows: ReplacementRows = ReplacementRows()) throws
    -> [Int64]
  {
    let statement = try database.cachedStatement(sql: "SELECT id FROM sample WHERE uuid = ?")
    var found: [UUID: Int64] = [:]
    for uuid in uuids {
      found[uuid] = try replacementRows[uuid] ?? Int64.fetchOne(statement, arguments: [uuid])
    }
    // Use one query for all, so that each compressed segment is decoded only once.
    found.merge(try packed(Set(uuids).subtracting(found.keys))) { row, _ in row }
    return uuids.compactMap { found[$0] } + (try replacements(of: Set(uuids).subtracting(found.keys)))
  }

  /// Returns the IDs of those samples that are in compressed segments.
  private func packed(_ uuids: Set<UUID>) throws -> [UUID: Int64] {
    guard try !uuids.isEmpty && SampleTables(in: database).haveBlocks else { return [:] }
    let condition = SampleFilter.uuids(uuids).conditionRegardlessOfPermission
    let rows = try Row.fetchAll(
      database, sql: "SELECT uuid, id FROM \(SampleTables.Table.blocks.sql) WHERE \(condition.sql)",
      arguments: condition.arguments)
    return try Dictionary(rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }) { row, _ in row
    }
  }

  /// Returns the row IDs of the newer versions that have replaced samples with these UUIDs.
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

  /// Adds a sample to containers.
  func add(_ member: Int64, to containers: [Int64]) throws {
    if !containers.isEmpty { try BlockUnpacking(in: database).unpack(holding: member) }
    let insert = try database.cachedStatement(
      sql: "INSERT INTO membership (container, member) VALUES (?, ?) ON CONFLICT DO NOTHING")
    for container in containers { try insert.execute(arguments: [container, member]) }
  }

  /// Returns the containers of a sample.
  func holders(of member: Int64) throws -> [Holder] {
    let statement = try database.cachedStatement(
      sql: "SELECT container, part FROM membership WHERE member = ?")
    return try Row.fetchAll(statement, arguments: [member]).map {
      try Holder(container: $0.decode(atIndex: 0), part: $0.decode(atIndex: 1))
    }
  }

  /// Adds a sample to the given containers and activities.
  func add(_ member: Int64, to holders: [Holder]) throws {
    let insert = try database.cachedStatement(
      sql: "INSERT INTO membership (container, member, part) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    for holder in holders { try insert.execute(arguments: [holder.container, member, holder.part]) }
  }

  /// Returns the samples in a container, so that they can be moved to the version that replaces it.
  func members(of container: Int64) throws -> [(member: Int64, part: UUID?)] {
    let statement = try database.cachedStatement(
      sql: "SELECT member, part FROM membership WHERE container = ? ORDER BY member")
    return try Row.fetchAll(statement, arguments: [container]).map {
      (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1))
    }
  }

  /// Adds samples to a container that is stored after them. The addition has no change log position of its
  /// own; the container's position covers it.
  func add(_ members: [(member: Int64, part: UUID?)], to container: Int64) throws {
    for (member, part) in members {
      try add(member, to: [Holder(container: container, part: part)])
    }
  }

  /// Adds a sample to a container or an activity in it, at a new change log position. If the sample belongs
  /// to another activity of the same container, it is removed from that one.
  func relate(_ member: Int64, to holder: Holder) throws {
    try database.cachedStatement(sql: ChangePositions.takeNext).execute()
    try database.cachedStatement(
      sql: """
        INSERT INTO membership (container, member, part, related)
        VALUES (?, ?, ?, (SELECT seq FROM sqlite_sequence WHERE name = 'sample'))
        ON CONFLICT (container, member) DO UPDATE SET part = excluded.part, related = excluded.related
        """
    ).execute(arguments: [holder.container, member, holder.part])
  }

  /// Removes a sample from a container, or from an activity in it.
  /// - Returns: Whether the sample belonged to it.
  func unrelate(_ member: Int64, from holder: Holder) throws -> Bool {
    try database.cachedStatement(
      sql: "DELETE FROM membership WHERE container = ? AND member = ? AND part IS ?"
    ).execute(arguments: [holder.container, member, holder.part])
    return database.changesCount > 0
  }
}
