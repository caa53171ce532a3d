package import Foundation
import GRDB

/// A container such as a workout, or an activity in it, and the samples that belong to it.
package struct RelationRecord: Sendable {
  package var container: SampleRecord
  /// The UUID of the activity in the container; `nil` for the container itself.
  package var part: UUID?
  /// The samples, in the order in which they were stored.
  package var members: [SampleRecord]
}

/// Samples that were added to containers after a position in the change log.
package struct RelationChanges: Sendable {
  package var relations: [RelationRecord]
  /// The position to pass to the next query.
  package var position: Int64
  /// The mark of ``position`` (`ChangeLog.mark(of:)`), which identifies the store. Pass it to the next query.
  package var store: String
}

extension SampleDatabase {
  /// Returns containers, or activities in them, to which samples were added after a position in the change
  /// log. Each is returned with all its samples.
  /// - Parameters:
  ///   - position: The position; 0 for all. Samples that were removed from a container are not reported.
  ///   - store: The mark that was returned with the position; `nil` if the position is known to be from this
  ///     store. If the mark is from another store, or from before a backup was restored, everything is
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

  /// Returns the containers to which samples may have been added after a position. The cost depends on the
  /// number of new rows.
  private static func containers(relatedAfter position: Int64, in database: Database) throws -> [Int64] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT container FROM membership WHERE container > ?1
        UNION SELECT container FROM membership WHERE member > ?1
        UNION SELECT container FROM membership WHERE related > ?1
        """)
    return try Int64.fetchAll(statement, arguments: [position])
  }

  /// A group of rows of the table `membership`: those for one container or one activity in it.
  private struct Group {
    var container: Int64
    var part: UUID?
    var members: [Int64]
    /// The last change log position at which a sample was added.
    var latest: Int64
  }

  /// - Parameter rows: The row IDs of the containers to search; `nil` for all.
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
