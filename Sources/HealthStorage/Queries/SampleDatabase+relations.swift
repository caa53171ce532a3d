package import Foundation
import GRDB

/// A container, or a part of it, and the samples associated with it.
package struct RelationRecord: Sendable {
  package var container: SampleRecord
  /// nil for the whole.
  package var part: UUID?
  /// In the order in which the samples were stored.
  package var members: [SampleRecord]
}

/// Associations that are new since a position in the change log.
package struct RelationChanges: Sendable {
  package var relations: [RelationRecord]
  /// The position for the next query.
  package var position: Int64
  /// The mark of `position`, which identifies the change log.
  package var store: String
}

extension SampleDatabase {
  /// Returns samples associated with containers or parts of them. A container or part with a new association
  /// is returned with all its samples.
  /// - Parameters:
  ///   - position: only newer associations are returned; 0 for all. Ended associations are not reported.
  ///   - store: the mark that was returned with the position; nil for a position in this store's log. If the
  ///     position belongs to another store's log, or dates from before a backup was restored, everything is
  ///     returned.
  package func relations(
    of containers: SampleFilter, with members: SampleFilter, after position: Int64, of store: String?
  ) async throws -> RelationChanges {
    try await read { database in
      let log = try ChangeLog(in: database)
      let after = try log.holds(position, markedWith: store) ? position : 0
      let last = try Self.lastChange(database)
      let visible = try Visibility.of(admission, in: database)
      let changed = try after > 0 ? Self.containers(relatedAfter: after, in: database) : nil
      let groups =
        changed?.isEmpty ?? false
        ? []
        : try Self.groups(
          resolved(containers, in: database).condition(among: visible),
          resolved(members, in: database).condition(among: visible), among: changed, in: database)
      return RelationChanges(
        relations: try groups.filter { $0.latest > after }.compactMap {
          try relation($0, among: visible, in: database)
        },
        position: last, store: try log.mark(of: last))
    }
  }

  /// Returns containers with possibly new associations. The cost depends on the number of new rows.
  private static func containers(relatedAfter position: Int64, in database: Database) throws -> [Int64] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT container FROM membership WHERE container > ?1
        UNION SELECT container FROM membership WHERE member > ?1
        UNION SELECT container FROM membership WHERE related > ?1
        """)
    return try Int64.fetchAll(statement, arguments: [position])
  }

  /// The rows of one container or part.
  private struct Group {
    var container: Int64
    var part: UUID?
    var members: [Int64]
    /// The latest position of an association in the change log.
    var latest: Int64
  }

  /// - Parameter rows: limits the containers; nil for all.
  private static func groups(
    _ containers: SQLCondition, _ members: SQLCondition, among rows: [Int64]?, in database: Database
  ) throws -> [Group] {
    let limit = rows.map {
      let list = SQLCondition.list(of: $0)
      return SQLCondition(sql: "container IN \(list.sql)", arguments: list.arguments)
    }
    let among = limit ?? .always
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT container, part, member, ifnull(related, max(container, member)) FROM membership
        WHERE member IN (SELECT id FROM sample WHERE \(members.sql))
          AND container IN (SELECT id FROM sample WHERE \(containers.sql)) AND \(among.sql)
        ORDER BY container, part, member
        """,
      arguments: members.arguments + containers.arguments + among.arguments)
    var groups: [Group] = []
    while let row = try rows.next() {
      let (container, part): (Int64, UUID?) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
      if groups.last?.container != container || groups.last?.part != part {
        groups.append(Group(container: container, part: part, members: [], latest: 0))
      }
      groups[groups.count - 1].members.append(try row.decode(atIndex: 2))
      groups[groups.count - 1].latest = try max(groups[groups.count - 1].latest, row.decode(atIndex: 3))
    }
    return groups
  }

  private func relation(
    _ group: Group, among visible: Visibility?, in database: Database
  ) throws -> RelationRecord? {
    var records: [SampleRecord] = []
    try forEach([group.container] + group.members, among: visible, in: database) { records.append($1) }
    guard let container = records.first else { return nil }
    return RelationRecord(container: container, part: group.part, members: Array(records.dropFirst()))
  }
}
