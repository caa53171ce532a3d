package import Foundation
import GRDB

/// A container, or a part of it, and samples that are about it.
package struct RelationRecord: Sendable {
  package var container: SampleRecord
  /// nil for the whole.
  package var part: UUID?
  /// In the order in which they were stored.
  package var members: [SampleRecord]
}

/// The relations that are new since a place in the change log.
package struct RelationChanges: Sendable {
  package var relations: [RelationRecord]
  /// Where the next question begins.
  package var position: Int64
  /// Whose change log it is.
  package var store: String
}

extension SampleDatabase {
  /// Which samples are about which containers or parts of them. What has a relation that is new comes with all its samples.
  /// - Parameters:
  ///   - position: only what is newer; 0 for everything. That relations ended is not told.
  ///   - store: whose log the position is in; nil for this one's. After a position in another store's log everything is new.
  package func relations(
    of containers: SampleFilter, with members: SampleFilter, after position: Int64, of store: String?
  ) async throws -> RelationChanges {
    try await read { database in
      let token = try String.fetchOne(database, sql: "SELECT token FROM store_identity") ?? ""
      let after = store == nil || store == token ? position : 0
      let visible = try Visibility.of(admission, in: database)
      let groups = try Self.groups(
        containers.condition(among: visible), members.condition(among: visible), in: database)
      return RelationChanges(
        relations: try groups.filter { $0.latest > after }.compactMap {
          try Self.relation($0, among: visible, in: database)
        },
        position: max(try Self.lastChange(database), after), store: token)
    }
  }

  /// Rows that belong together.
  private struct Group {
    var container: Int64
    var part: UUID?
    var members: [Int64]
    /// The place of the latest relation in the change log.
    var latest: Int64
  }

  private static func groups(
    _ containers: SQLCondition, _ members: SQLCondition, in database: Database
  ) throws -> [Group] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT container, part, member, ifnull(related, max(container, member)) FROM membership
        WHERE member IN (SELECT id FROM sample WHERE \(members.sql))
          AND container IN (SELECT id FROM sample WHERE \(containers.sql))
        ORDER BY container, part, member
        """,
      arguments: members.arguments + containers.arguments)
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

  private static func relation(
    _ group: Group, among visible: Visibility?, in database: Database
  ) throws -> RelationRecord? {
    var records: [SampleRecord] = []
    try forEach([group.container] + group.members, among: visible, in: database) { records.append($0) }
    guard let container = records.first else { return nil }
    return RelationRecord(container: container, part: group.part, members: Array(records.dropFirst()))
  }
}
