import Foundation
import GRDB

extension SampleDatabase {
  /// Stores a request, so that the user can answer it.
  /// - Parameters:
  ///   - process: The process that waits for the answer; `nil` if unknown. Once the process has ended, the
  ///     request counts as abandoned.
  ///   - time: The current time in microseconds since 1970.
  /// - Returns: The ID of the request.
  package func ask(
    _ request: PermissionRequest, by process: RunningProcess? = nil, at time: Int64
  ) async throws -> Int64 {
    try await write { database in
      try Self.forgetAnswers(before: time, in: database)
      let application = try Self.application(
        request.application.bundleIdentifier, name: request.application.name, renaming: true, in: database)
      try database.execute(
        sql: """
          INSERT INTO permission_request
            (application, asked, share_description, read_description, process, started)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          application, time, request.shareDescription, request.readDescription, process?.process,
          process?.started,
        ])
      let id = database.lastInsertedRowID
      try Self.insertTypes(of: request, id, in: database)
      try Self.insertObjects(of: request, id, in: database)
      // In another process, the user may have just decided on these types. Then the new request is already
      // answered.
      try Self.settleRequests(of: application, at: time, in: database)
      return id
    }
  }

  /// Returns the processes that wait for answers, by request ID. Requests of unknown processes are omitted.
  package func askers() async throws -> [Int64: RunningProcess] {
    try await read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, process, started FROM permission_request
          WHERE answer IS NULL AND process IS NOT NULL AND started IS NOT NULL
          """)
      return Dictionary(
        rows.map { ($0[0], RunningProcess(process: $0[1], started: $0[2])) }
      ) { first, _ in first }
    }
  }

  /// Returns the state of a request.
  package func answer(to request: Int64) async throws -> PermissionDecision {
    try await read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT answer FROM permission_request WHERE id = ?")
      guard let row = try Row.fetchOne(statement, arguments: [request]) else { return .cancelled }
      guard let answer = try row.decode(atIndex: 0) as Int64? else { return .pending }
      return answer == 1 ? .decided : .cancelled
    }
  }

  /// Deletes a request that the application withdraws, or whose answer it has read.
  package func withdraw(_ request: Int64) async throws {
    try await write { database in
      try database.execute(sql: "DELETE FROM permission_request WHERE id = ?", arguments: [request])
    }
  }

  /// Marks a request as canceled because the user dismissed it. The types stay undecided.
  /// - Parameter time: The current time in microseconds since 1970.
  package func cancel(_ request: Int64, at time: Int64) async throws {
    try await write { database in
      try database.execute(
        sql: "UPDATE permission_request SET answer = 0, answered = ? WHERE id = ? AND answer IS NULL",
        arguments: [time, request])
    }
  }

  /// Deletes answers that are older than a day. A running application reads its answer long before that, so
  /// an older answer belongs to an application that was killed.
  private static func forgetAnswers(before time: Int64, in database: Database) throws {
    let (dayBefore, overflow) = time.subtractingReportingOverflow(86_400_000_000)
    try database.execute(
      sql: "DELETE FROM permission_request WHERE answer IS NOT NULL AND answered < ?",
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
    let blocks = try BlockUnpacking(in: database)
    for uuid in request.objects {
      try blocks.unpack(holding: uuid)
      try statement.execute(arguments: [id, uuid])
    }
  }
}
