package import Foundation
import GRDB

extension SampleDatabase {
  /// A sample whose attachments an application wants to change. The application must have saved the sample,
  /// and the user must allow it to save samples of this type.
  package struct AttachmentOwner: Sendable {
    let sample: UUID
    let source: String
    let types: Set<String>
    let protection: @Sendable (String) -> ProtectedType

    /// - Parameters:
    ///   - sample: The UUID of the sample.
    ///   - source: The bundle identifier of the application, which must have saved the sample.
    ///   - types: The allowed types of the sample.
    ///   - protection: Returns the permission rule (``ProtectedType``) for a type identifier.
    package init(
      sample: UUID, savedBy source: String, ofTypes types: Set<String>,
      protection: @escaping @Sendable (String) -> ProtectedType
    ) {
      self.sample = sample
      self.source = source
      self.types = types
      self.protection = protection
    }
  }

  /// Attaches a file to a sample, in one transaction.
  /// - Parameter greatestCount: Maximum number of attachments of a sample.
  /// - Returns: `false` if the sample already has the maximum number. Then nothing is stored.
  /// - Throws: `StorageError`: `.notOwned` if the sample is not stored, was saved by another source, or has
  ///   another type; `.undecided` or `.denied` if the user does not allow the application to save samples of
  ///   this type.
  package func attach(
    _ attachment: AttachmentRecord, _ bytes: Data, to owner: AttachmentOwner, greatestCount: Int
  ) async throws -> Bool {
    try await write { database in
      let sample = try requireOwned(owner, in: database)
      let count = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM attachment WHERE sample = ?", arguments: [sample])
      guard count ?? 0 < greatestCount else { return false }
      var interning = try Interning(InternedRows(), in: database)
      let metadata = try attachment.metadata.map { try interning.metadata($0) }
      try database.execute(
        sql: """
          INSERT INTO attachment (uuid, sample, name, content_type, size, created, metadata)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          attachment.uuid, sample, attachment.name, attachment.contentType, attachment.size,
          attachment.created,
          metadata,
        ])
      let row = database.lastInsertedRowID
      let insert = try database.cachedStatement(
        sql: "INSERT INTO attachment_piece (attachment, place, bytes) VALUES (?, ?, ?)")
      let starts = stride(from: bytes.startIndex, to: bytes.endIndex, by: AttachmentRecord.pieceSize)
      for (index, start) in starts.enumerated() {
        let piece = bytes[start...].prefix(AttachmentRecord.pieceSize)
        try insert.execute(arguments: [row, index, Data(piece)])
      }
      return true
    }
  }

  /// Deletes an attachment of a sample.
  /// - Returns: Whether the attachment existed.
  /// - Throws: The errors of `attach`.
  package func deleteAttachment(_ attachment: UUID, of owner: AttachmentOwner) async throws -> Bool {
    try await write { database in
      let sample = try requireOwned(owner, in: database)
      try database.execute(
        sql: "DELETE FROM attachment WHERE uuid = ? AND sample = ?", arguments: [attachment, sample])
      return database.changesCount > 0
    }
  }

  /// Returns the attachments of a sample in the order in which they were added; empty if the application may
  /// not read the sample.
  /// - Parameter protection: Returns the permission rule (``ProtectedType``) for a type identifier.
  /// - Throws: `StorageError.undecided`.
  package func attachments(
    of sample: UUID, protection: @escaping @Sendable (String) -> ProtectedType
  ) async throws -> [AttachmentRecord] {
    try await read { database in
      guard
        let row = try Memberships(database: database).row(of: sample),
        try maySee(row, protection, in: database)
      else { return [] }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT uuid, name, content_type, size, created, encoded FROM attachment
          LEFT JOIN metadata ON metadata.id = attachment.metadata WHERE sample = ? ORDER BY attachment.id
          """,
        arguments: [row])
      return try rows.map { row in
        let encoded: Data? = try row.decode(atIndex: 5)
        return try AttachmentRecord(
          uuid: row.decode(atIndex: 0), name: row.decode(atIndex: 1), contentType: row.decode(atIndex: 2),
          size: row.decode(atIndex: 3), created: row.decode(atIndex: 4),
          metadata: encoded.map { try EncodedMetadata(decoding: Array($0)) })
      }
    }
  }

  /// Returns the piece of an attachment at an index.
  /// - Returns: `nil` if it does not exist, or the application may not read the sample.
  /// - Throws: `StorageError.undecided`.
  package func piece(
    _ index: Int, ofAttachment attachment: UUID, protection: @escaping @Sendable (String) -> ProtectedType
  ) async throws -> Data? {
    try await read { database in
      guard
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT sample, bytes FROM attachment JOIN attachment_piece ON attachment = attachment.id
            WHERE uuid = ? AND place = ?
            """,
          arguments: [attachment, index]),
        let sample: Int64 = try row.decode(atIndex: 0), try maySee(sample, protection, in: database)
      else { return nil }
      return try row.decode(atIndex: 1)
    }
  }

  /// Whether the application may read the sample. This depends on the sample's stored type, not on the type
  /// that the application named.
  private func maySee(
    _ sample: Int64, _ protection: (String) -> ProtectedType, in database: Database
  ) throws -> Bool {
    guard case .reading(_, let application) = admission else { return admission == .system }
    let tables = try SampleTables(in: database)
    let types = tables.union {
      "SELECT identifier FROM object_type JOIN \($0.sql) ON sample.type = object_type.id WHERE sample.id = ?1"
    }
    let type = try String.fetchOne(database, sql: types.sql, arguments: [sample])
    guard let type else { return false }
    let admission = Admission.reading([protection(type)], by: application)
    guard let visible = try Visibility.of(admission, in: database) else { return true }
    let condition = visible.samples(in: .everything)
    let found = tables.union([sample] + condition.arguments) {
      "SELECT 1 FROM \($0.sql) WHERE sample.id = ? AND \(condition.sql)"
    }
    return try Bool.fetchOne(database, sql: found.sql, arguments: found.arguments) ?? false
  }

  /// Checks that the application may change the sample's attachments.
  /// - Returns: The ID of the sample's row.
  private func requireOwned(_ owner: AttachmentOwner, in database: Database) throws -> Int64 {
    try requireSharing(in: database)
    // An attachment can only refer to a row, so turn the compressed segment that contains the sample into
    // rows. If the next check fails, the transaction is rolled back.
    try BlockUnpacking(in: database).unpack(holding: owner.sample)
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT sample.id, object_type.identifier FROM sample
        JOIN object_type ON object_type.id = sample.type
        JOIN provenance ON provenance.id = sample.provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        JOIN source ON source.id = source_revision.source
        WHERE sample.uuid = ? AND source.bundle_identifier = ?
        """,
      arguments: [owner.sample, owner.source])
    guard let row, case let type:String = try row.decode(atIndex: 1), owner.types.contains(type) else {
      throw StorageError.notOwned([owner.sample])
    }
    // Check the stored type, because the application may have named another one.
    try requireSharing(of: [owner.protection(type)], in: database)
    return try row.decode(atIndex: 0)
  }
}

/// Moves attachments from a sample to the newer version that replaces it. Use it only inside the write access
/// in which it was created.
struct AttachmentHandover {
  private let database: Database
  private let attachments: [Int64]

  /// Detaches the attachments from a sample that is about to be deleted.
  init(from sample: Int64, in database: Database) throws {
    self.database = database
    attachments = try Int64.fetchAll(
      database.cachedStatement(sql: "SELECT id FROM attachment WHERE sample = ?"), arguments: [sample])
    try give(to: nil)
  }

  func give(to sample: Int64?) throws {
    guard !attachments.isEmpty else { return }
    let update = try database.cachedStatement(sql: "UPDATE attachment SET sample = ? WHERE id = ?")
    for attachment in attachments { try update.execute(arguments: [sample, attachment]) }
  }
}
