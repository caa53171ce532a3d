package import Foundation
import GRDB

extension SampleDatabase {
  /// Returns the requests that the user has not answered, oldest first.
  /// - Parameters:
  ///   - application: The bundle identifier of an application; `nil` for all.
  ///   - request: Returns only requests with a greater ID.
  ///   - limit: Maximum number of requests; `nil` for all.
  package func pendingRequests(
    of application: String? = nil, after request: Int64 = 0, limit: Int? = nil
  ) async throws -> [PendingRequest] {
    try await read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT permission_request.id, asked, identifier, name, share_description, read_description
          FROM permission_request JOIN application ON application.id = permission_request.application
          WHERE answer IS NULL AND (?1 IS NULL OR identifier = ?1) AND permission_request.id > ?2
          ORDER BY 1 LIMIT ?3
          """,
        arguments: [application, request, limit ?? -1])
      return try rows.map { try Self.pending($0, in: database) }
    }
  }

  /// Stores the user's answer to a request in one transaction: the decisions on types, and which of the
  /// requested objects may be read. The other requested objects may not be read.
  /// - Parameters:
  ///   - id: The ID of the request; `nil` if it was answered without being stored before.
  ///   - time: The current time in microseconds since 1970.
  package func answer(
    _ request: PermissionRequest, _ id: Int64?, _ decisions: [String: Permission], readable: Set<UUID>,
    at time: Int64
  ) async throws {
    try await write { database in
      let application = try Self.application(
        request.application.bundleIdentifier, name: request.application.name, renaming: id == nil,
        in: database)
      try Self.keep(decisions, for: application, in: database)
      let blocks = try BlockUnpacking(in: database)
      for uuid in request.objects {
        if readable.contains(uuid) { try blocks.unpack(holding: uuid) }
        let change =
          readable.contains(uuid)
          ? """
          INSERT INTO readable_object (application, sample) SELECT ?, id FROM sample WHERE uuid = ?
          ON CONFLICT DO NOTHING
          """
          : """
          DELETE FROM readable_object
          WHERE application = ? AND sample = (SELECT id FROM sample WHERE uuid = ?)
          """
        try database.cachedStatement(sql: change).execute(arguments: [application, uuid])
      }
      try database.execute(sql: "DELETE FROM requested_object WHERE request = ?", arguments: [id])
      try Self.settleRequests(of: application, at: time, in: database)
    }
  }

  /// Marks an application's requests as answered if the user has decided on all their types and objects.
  /// - Parameter time: The current time in microseconds since 1970.
  static func settleRequests(of application: Int64, at time: Int64, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE permission_request SET answer = 1, answered = ?2 WHERE application = ?1 AND answer IS NULL
        AND NOT EXISTS (SELECT 1 FROM requested_object WHERE request = permission_request.id)
        AND NOT EXISTS (\(undecided) AND permission_request.id = requested_type.request)
        """,
      arguments: [application, time])
  }

  /// Selects the types of requests on which the user has not decided.
  private static let undecided = """
    SELECT requested_type.type, requested_type.share AND permission.share IS NULL,
      requested_type.read AND permission.read IS NULL
    FROM requested_type JOIN permission_request AS asking ON asking.id = requested_type.request
    LEFT JOIN permission
      ON permission.application = asking.application AND permission.type = requested_type.type
    WHERE ((requested_type.share AND permission.share IS NULL)
      OR (requested_type.read AND permission.read IS NULL))
    """

  private static func pending(_ row: Row, in database: Database) throws -> PendingRequest {
    let id: Int64 = try row.decode(atIndex: 0)
    let types = try Row.fetchAll(
      database, sql: "\(undecided) AND requested_type.request = ? ORDER BY 1", arguments: [id])
    return try PendingRequest(
      id: id, asked: row.decode(atIndex: 1),
      request: PermissionRequest(
        application: ApplicationRecord(
          bundleIdentifier: row.decode(atIndex: 2), name: row.decode(atIndex: 3)),
        shareDescription: row.decode(atIndex: 4), readDescription: row.decode(atIndex: 5),
        share: types.filter { try $0.decode(atIndex: 1) }.map { try $0.decode(atIndex: 0) },
        read: types.filter { try $0.decode(atIndex: 2) }.map { try $0.decode(atIndex: 0) },
        objects: objects(of: id, in: database)))
  }

  private static func objects(of request: Int64, in database: Database) throws -> [UUID] {
    try UUID.fetchAll(
      database,
      sql: """
        SELECT uuid FROM requested_object JOIN sample ON sample.id = sample
        WHERE request = ? ORDER BY start, sample.id
        """,
      arguments: [request])
  }
}
