import Foundation
import GRDB
import GRDBSQLite
import PackedSamples

/// The virtual table `packed_sample`, which contains the samples of all compressed segments as rows. It has
/// the columns of the table `sample` and, in `block`, the ID of the segment.
///
/// SQLite passes it the order of the rows and the conditions on type, provenance, start, change log position
/// and UUID, and checks all other conditions itself. The values of an IN are passed together.
enum PackedSampleModule {
  static let name = "packed_sample"

  private enum Column: Int32 {
    case id, uuid, type, start, end, provenance, metadata, value, unit, block
  }

  private static let declaration = """
    CREATE TABLE x (id INTEGER, uuid BLOB, type INTEGER, start INTEGER, end INTEGER, provenance INTEGER,
      metadata INTEGER, value REAL, unit INTEGER, block INTEGER)
    """

  /// Adds the table to a database connection.
  static func register(in database: Database) throws {
    let code = sqlite3_create_module_v2(database.sqliteConnection, name, module, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  // MARK: - Callbacks of SQLite

  /// SQLite requires that the structure starts with an `sqlite3_vtab`, and that it stays at the same address.
  private struct Table {
    var base = sqlite3_vtab()
    var connection: OpaquePointer
  }

  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var cursor: Unmanaged<PackedSampleCursor>?
  }

  nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    // Without `xCreate`, the table exists without a CREATE statement, and is not part of the file.
    module.pointee.xConnect = { connection, _, _, _, table, _ in
      guard let connection, let table else { return SQLITE_MISUSE }
      let code = sqlite3_declare_vtab(connection, PackedSampleModule.declaration)
      guard code == SQLITE_OK else { return code }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(connection: connection))
      table.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.pointee.xDisconnect = { table in
      guard let table else { return SQLITE_OK }
      let made = UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self)
      made.deinitialize(count: 1)
      made.deallocate()
      return SQLITE_OK
    }
    module.pointee.xBestIndex = { _, plan in
      guard let plan else { return SQLITE_MISUSE }
      PackedSampleModule.plan(plan)
      return SQLITE_OK
    }
    module.pointee.xOpen = { _, cursor in
      let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      made.initialize(to: Cursor())
      cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.pointee.xClose = { cursor in
      guard let made = PackedSampleModule.cursor(cursor) else { return SQLITE_OK }
      made.pointee.cursor?.release()
      made.deinitialize(count: 1)
      made.deallocate()
      return SQLITE_OK
    }
    module.pointee.xFilter = { cursor, parts, _, count, values in
      guard let made = PackedSampleModule.cursor(cursor), let base = cursor?.pointee.pVtab else {
        return SQLITE_MISUSE
      }
      made.pointee.cursor?.release()
      made.pointee.cursor = nil
      let table = UnsafeMutableRawPointer(base).assumingMemoryBound(to: Table.self)
      return PackedSampleModule.reportingErrors(base) { () throws(BlockReadError) in
        let request = PackedSampleModule.request(
          parts, UnsafeBufferPointer(start: values, count: Int(count)))
        made.pointee.cursor = .passRetained(
          try PackedSampleCursor(request, table.pointee.connection))
      }
    }
    module.pointee.xNext = { cursor in
      guard let made = PackedSampleModule.cursor(cursor), let base = cursor?.pointee.pVtab else {
        return SQLITE_MISUSE
      }
      return PackedSampleModule.reportingErrors(base) { () throws(BlockReadError) in
        try made.pointee.cursor?.takeUnretainedValue().advance()
      }
    }
    module.pointee.xEof = { cursor in
      PackedSampleModule.cursor(cursor)?.pointee.cursor?.takeUnretainedValue().block == nil ? 1 : 0
    }
    module.pointee.xColumn = { cursor, context, column in
      guard let samples = PackedSampleModule.cursor(cursor)?.pointee.cursor?.takeUnretainedValue(),
        let base = cursor?.pointee.pVtab, let block = samples.block, let column = Column(rawValue: column)
      else { return SQLITE_MISUSE }
      guard column == .uuid else {
        PackedSampleModule.setResult(column, of: block, at: samples.position, to: context)
        return SQLITE_OK
      }
      return PackedSampleModule.reportingErrors(base) { () throws(BlockReadError) in
        PackedSampleModule.setResult(try samples.uuid(), to: context)
      }
    }
    module.pointee.xRowid = { cursor, row in
      guard let samples = PackedSampleModule.cursor(cursor)?.pointee.cursor?.takeUnretainedValue(),
        let block = samples.block
      else { return SQLITE_MISUSE }
      row?.pointee = block.changes[samples.position]
      return SQLITE_OK
    }
    return module
  }()

  private static func cursor(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<Cursor>? {
    cursor.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Cursor.self) }
  }

  /// Calls `body`. If a compressed segment cannot be read, the SQL statement fails with an error that names
  /// the segment.
  private static func reportingErrors(
    _ table: UnsafeMutablePointer<sqlite3_vtab>, _ body: () throws(BlockReadError) -> Void
  ) -> Int32 {
    do throws(BlockReadError) {
      try body()
      return SQLITE_OK
    } catch {
      guard case .damaged(let text) = error else { return error.code }
      sqlite3_free(table.pointee.zErrMsg)
      table.pointee.zErrMsg = text.withCString { bytes in
        let size = strlen(bytes) + 1
        guard let copy = sqlite3_malloc64(UInt64(size)) else { return nil }
        memcpy(copy, bytes, size)
        return copy.assumingMemoryBound(to: CChar.self)
      }
      return SQLITE_CORRUPT | 1 << 8  // SQLITE_CORRUPT_VTAB, a C macro
    }
  }

  // MARK: - Planning

  private static func plan(_ plan: UnsafeMutablePointer<sqlite3_index_info>) {
    var parts: PackedSampleRequest.Parts = []
    // The index of SQLite's constraint for each kind of condition (`Parts`). SQLite passes the values of the
    // constraints to the cursor in the order of `Parts.withValues`.
    var positions: [Int32: Int] = [:]
    for position in 0..<Int(plan.pointee.nConstraint) {
      let constraint = plan.pointee.aConstraint[position]
      guard constraint.usable != 0, let column = Column(rawValue: constraint.iColumn),
        var part = Self.part(column, Int32(constraint.op))
      else { continue }
      // An argument of -1 only asks whether the constraint is an IN. Unless the values are passed together,
      // SQLite runs one query per value.
      if let list = list(part), sqlite3_vtab_in(plan, Int32(position), -1) != 0 { part = list }
      guard !parts.contains(part) else { continue }
      if PackedSampleRequest.Parts.lists.contains(part) { _ = sqlite3_vtab_in(plan, Int32(position), 1) }
      parts.insert(part)
      positions[part.rawValue] = position
    }
    var number: Int32 = 0
    for part in PackedSampleRequest.Parts.withValues {
      guard let position = positions[part.rawValue] else { continue }
      number += 1
      plan.pointee.aConstraintUsage[position].argvIndex = number
    }
    if let order = order(plan.pointee) {
      parts.formUnion(order)
      plan.pointee.orderByConsumed = 1
    }
    plan.pointee.idxNum = parts.rawValue
    plan.pointee.estimatedCost = cost(parts)
    plan.pointee.estimatedRows = Int64(plan.pointee.estimatedCost)
  }

  /// Returns the kind of condition that takes all values of an IN, to be used instead of one that takes a
  /// single value; `nil` if there is no such kind.
  private static func list(_ part: PackedSampleRequest.Parts) -> PackedSampleRequest.Parts? {
    switch part {
    case .change: .changeList
    case .uuid: .uuidList
    case .provenance: .provenanceList
    default: nil
    }
  }

  private static func part(_ column: Column, _ operation: Int32) -> PackedSampleRequest.Parts? {
    switch (column, operation) {
    case (.type, SQLITE_INDEX_CONSTRAINT_EQ): .type
    case (.start, SQLITE_INDEX_CONSTRAINT_GT), (.start, SQLITE_INDEX_CONSTRAINT_GE): .startFrom
    case (.start, SQLITE_INDEX_CONSTRAINT_LT), (.start, SQLITE_INDEX_CONSTRAINT_LE): .startUpTo
    case (.id, SQLITE_INDEX_CONSTRAINT_EQ): .change
    case (.id, SQLITE_INDEX_CONSTRAINT_GT), (.id, SQLITE_INDEX_CONSTRAINT_GE): .changeFrom
    case (.id, SQLITE_INDEX_CONSTRAINT_LT), (.id, SQLITE_INDEX_CONSTRAINT_LE): .changeUpTo
    case (.uuid, SQLITE_INDEX_CONSTRAINT_EQ): .uuid
    case (.provenance, SQLITE_INDEX_CONSTRAINT_EQ): .provenance
    default: nil
    }
  }

  private static func cost(_ parts: PackedSampleRequest.Parts) -> Double {
    if !parts.isDisjoint(with: [.change, .uuid]) { return 3000 }
    if !parts.isDisjoint(with: [.changeList, .uuidList]) { return 30_000 }
    var cost = 1e7
    if parts.contains(.type) { cost /= 2 }
    if parts.contains(.startFrom) { cost /= 8 }
    if parts.contains(.startUpTo) { cost /= 8 }
    if parts.contains(.changeFrom) { cost /= 16 }
    return cost
  }

  private static func order(_ plan: sqlite3_index_info) -> PackedSampleRequest.Parts? {
    let terms = (0..<Int(plan.nOrderBy)).map { plan.aOrderBy[$0] }
    let columns = terms.map(\.iColumn)
    guard let first = terms.first, terms.allSatisfy({ $0.desc == first.desc }) else { return nil }
    let direction: PackedSampleRequest.Parts = first.desc == 0 ? [] : .descending
    // Positions in the change log are unique, so further terms of ORDER BY have no effect.
    if columns[0] == Column.id.rawValue { return direction.union(.byChange) }
    let isByStart = columns[0] == Column.start.rawValue
    return isByStart && (columns.count == 1 || columns[1] == Column.id.rawValue) ? direction : nil
  }

  // MARK: - Queries

  private static func request(
    _ rawParts: Int32, _ values: UnsafeBufferPointer<OpaquePointer?>
  ) -> PackedSampleRequest {
    let parts = PackedSampleRequest.Parts(rawValue: rawParts)
    var request = PackedSampleRequest()
    request.isByChange = parts.contains(.byChange)
    request.isDescending = parts.contains(.descending)
    var rest = values[...]
    for part in PackedSampleRequest.Parts.withValues where parts.contains(part) {
      guard let value = rest.popFirst().flatMap({ $0 }) else { continue }
      request.narrow(part, value)
    }
    return request
  }

  // MARK: - Results

  private static func setResult(
    _ column: Column, of block: StoredBlock, at position: Int, to context: OpaquePointer?
  ) {
    switch column {
    case .id: sqlite3_result_int64(context, block.changes[position])
    case .type: sqlite3_result_int64(context, block.header.kind.type)
    case .start: sqlite3_result_int64(context, block.starts[position])
    case .end where block.end(at: position) > block.starts[position]:
      sqlite3_result_int64(context, block.end(at: position))
    case .provenance: sqlite3_result_int64(context, block.header.kind.provenance)
    case .metadata:
      guard let metadata = block.header.kind.metadata else { return sqlite3_result_null(context) }
      sqlite3_result_int64(context, metadata)
    case .value: sqlite3_result_double(context, block.values[position])
    case .unit: sqlite3_result_int64(context, block.header.kind.unit)
    case .block: sqlite3_result_int64(context, block.header.id)
    // As in the table `sample`, the end is NULL if it equals the start.
    case .end, .uuid: sqlite3_result_null(context)
    }
  }

  private static func setResult(_ uuid: (high: UInt64, low: UInt64)?, to context: OpaquePointer?) {
    guard let uuid else { return sqlite3_result_null(context) }
    withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) {
      // -1 is the C macro SQLITE_TRANSIENT, which makes SQLite copy the bytes.
      sqlite3_result_blob(context, $0.baseAddress, 16, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }
}

extension PackedSampleRequest {
  /// Adds a condition that SQLite passes. Exclusive bounds are treated as inclusive ones, because SQLite
  /// checks the rows again.
  mutating func narrow(_ part: Parts, _ value: OpaquePointer) {
    switch part {
    case .uuid: narrow(toUUIDs: Self.uuid(value).map { [$0] } ?? [])
    case .uuidList: narrow(toUUIDs: Self.values(of: value, Self.uuid))
    case .changeList: narrow(toChanges: Self.values(of: value, Self.number))
    case .provenanceList: narrow(toProvenances: Set(Self.values(of: value, Self.number)))
    default: narrowByNumber(part, value)
    }
  }

  private mutating func narrowByNumber(_ part: Parts, _ value: OpaquePointer) {
    // The bound is not an integer, so leave the comparison to SQLite. Only NULL is handled here: no row
    // matches it.
    guard let number = Self.number(value) else {
      if sqlite3_value_type(value) == SQLITE_NULL { isEmpty = true }
      return
    }
    switch part {
    case .type: type = number
    case .startFrom: narrow(startsFrom: number)
    case .startUpTo: narrow(startsUpTo: number)
    case .change:
      narrow(changesFrom: number)
      narrow(changesUpTo: number)
    case .changeFrom: narrow(changesFrom: number)
    case .changeUpTo: narrow(changesUpTo: number)
    case .provenance: narrow(toProvenances: [number])
    default: break
    }
  }

  private static func number(_ value: OpaquePointer) -> Int64? {
    sqlite3_value_numeric_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
  }

  /// Returns the UUID in an SQL value; `nil` if the value is not a UUID.
  private static func uuid(_ value: OpaquePointer) -> (high: UInt64, low: UInt64)? {
    guard sqlite3_value_type(value) == SQLITE_BLOB, sqlite3_value_bytes(value) == 16,
      let bytes = sqlite3_value_blob(value)
    else { return nil }
    return (
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  /// Returns the values of an IN. Values that do not have the column's type are dropped, because they match
  /// no row.
  private static func values<Value>(
    of list: OpaquePointer, _ decode: (OpaquePointer) -> Value?
  ) -> [Value] {
    var values: [Value] = []
    var value: OpaquePointer?
    var code = sqlite3_vtab_in_first(list, &value)
    while code == SQLITE_OK, let found = value {
      if let decoded = decode(found) { values.append(decoded) }
      code = sqlite3_vtab_in_next(list, &value)
    }
    return values
  }
}
