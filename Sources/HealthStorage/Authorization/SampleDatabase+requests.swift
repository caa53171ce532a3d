import Foundation
import GRDB

extension SampleDatabase {
  /// Puts a request before the user.
  /// - Parameter time: microseconds since 1970.
  /// - Returns: by which the answer is found.
  package func ask(_ request: PermissionRequest, at time: Int64) async throws -> Int64 {
    do {
      return try await writer.write { database in
        try Self.forgetAnswers(before: time, in: database)
        let application = try Self.application(
          request.application.bundleIdentifier, name: request.application.name, renaming: true, in: database)
        try database.execute(
          sql: """
            INSERT INTO permission_request (application, asked, share_description, read_description)
            VALUES (?, ?, ?, ?)
            """,
          arguments: [application, time, request.shareDescription, request.readDescription])
        let id = database.lastInsertedRowID
        try Self.insertTypes(of: request, id, in: database)
        try Self.insertObjects(of: request, id, in: database)
        // What another process decided a moment ago needs no second answer.
        try Self.settleRequests(of: application, in: database)
        return id
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// What has become of a request.
  package func answer(to request: Int64) async throws -> RequestAnswer {
    do {
      return try await writer.read { database in
        let statement = try database.cachedStatement(
          sql: "SELECT answer FROM permission_request WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [request]) else { return .cancelled }
        guard let answer = try row.decode(atIndex: 0) as Int64? else { return .pending }
        return answer == 1 ? .decided : .cancelled
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Takes a request back, or an answer away that was read.
  package func withdraw(_ request: Int64) async throws {
    do {
      try await writer.write { database in
        try database.execute(sql: "DELETE FROM permission_request WHERE id = ?", arguments: [request])
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// The user would not decide. What is asked about stays undecided.
  package func cancel(_ request: Int64) async throws {
    do {
      try await writer.write { database in
        try database.execute(
          sql: "UPDATE permission_request SET answer = 0 WHERE id = ? AND answer IS NULL",
          arguments: [request])
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// An asker that was killed leaves its answer behind.
  private static func forgetAnswers(before time: Int64, in database: Database) throws {
    let (dayBefore, overflow) = time.subtractingReportingOverflow(86_400_000_000)
    try database.execute(
      sql: "DELETE FROM permission_request WHERE answer IS NOT NULL AND asked < ?",
      arguments: [overflow ? Int64.min : dayBefore])
  }

  private static func insertTypes(
    of request: PermissionRequest, _ id: Int64, in database: Database
  ) throws {
    let share = Set(request.share)
    let read = Set(request.read)
    let statement = try database.cachedStatement(
      sql: "INSERT INTO requested_type (request, type, share, read) VALUES (?, ?, ?, ?)")
    for type in share.union(read) {
      try statement.execute(arguments: [id, type, share.contains(type), read.contains(type)])
    }
  }

  private static func insertObjects(
    of request: PermissionRequest, _ id: Int64, in database: Database
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO requested_object (request, sample) SELECT ?, id FROM sample WHERE uuid = ?
        ON CONFLICT DO NOTHING
        """)
    for uuid in request.objects { try statement.execute(arguments: [id, uuid]) }
  }
}
