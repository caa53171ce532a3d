import Foundation
import GRDB
import GRDBSQLite
import PackedSamples

/// `packed_sample`: the samples of all blocks as rows with the columns of `sample`, a virtual table of each
/// connection. `block` is the id of the row in which a sample is.
///
/// SQLite tells it bounds on type, start and place in the change log, a UUID, and the order in which it wants
/// the rows; everything else it checks itself.
enum PackedSampleModule {
  static let name = "packed_sample"

  private enum Column: Int32 {
    case id, uuid, type, start, end, provenance, metadata, value, unit, block
  }

  private static let declaration = """
    CREATE TABLE x (id INTEGER, uuid BLOB, type INTEGER, start INTEGER, end INTEGER, provenance INTEGER,
      metadata INTEGER, value REAL, unit INTEGER, block INTEGER)
    """

  /// Makes the table known to a connection.
  static func register(in database: Database) throws {
    let code = sqlite3_create_module_v2(database.sqliteConnection, name, module, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  // MARK: - What SQLite calls

  /// Begins as SQLite's own does, and never moves.
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
    // Without xCreate the table is there in every schema, and nowhere in the file.
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
      PackedSampleModule.plan(&plan.pointee)
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
      return PackedSampleModule.telling(base) { () throws(BlockFailure) in
        let question = PackedSampleModule.question(
          parts, UnsafeBufferPointer(start: values, count: Int(count)))
        made.pointee.cursor = .passRetained(
          try PackedSampleCursor(question, table.pointee.connection))
      }
    }
    module.pointee.xNext = { cursor in
      guard let made = PackedSampleModule.cursor(cursor), let base = cursor?.pointee.pVtab else {
        return SQLITE_MISUSE
      }
      return PackedSampleModule.telling(base) { () throws(BlockFailure) in
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
        PackedSampleModule.tell(column, of: block, at: samples.place, to: context)
        return SQLITE_OK
      }
      return PackedSampleModule.telling(base) { () throws(BlockFailure) in
        PackedSampleModule.tell(try samples.uuid(), to: context)
      }
    }
    module.pointee.xRowid = { cursor, row in
      guard let samples = PackedSampleModule.cursor(cursor)?.pointee.cursor?.takeUnretainedValue(),
        let block = samples.block
      else { return SQLITE_MISUSE }
      row?.pointee = block.changes[samples.place]
      return SQLITE_OK
    }
    return module
  }()

  private static func cursor(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<Cursor>? {
    cursor.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Cursor.self) }
  }

  /// A block that cannot be told ends the statement, and says which it is.
  private static func telling(
    _ table: UnsafeMutablePointer<sqlite3_vtab>, _ body: () throws(BlockFailure) -> Void
  ) -> Int32 {
    do throws(BlockFailure) {
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
      return SQLITE_CORRUPT | 1 << 8  // SQLITE_CORRUPT_VTAB, a macro
    }
  }

  // MARK: - Planning

  private static func plan(_ plan: inout sqlite3_index_info) {
    var parts: PackedSampleQuestion.Parts = []
    // Of each part the place of its constraint: the values come in the order of the parts.
    var places: [Int32: Int] = [:]
    for place in 0..<Int(plan.nConstraint) {
      let constraint = plan.aConstraint[place]
      guard constraint.usable != 0, let column = Column(rawValue: constraint.iColumn),
        let part = part(column, Int32(constraint.op)), !parts.contains(part)
      else { continue }
      parts.insert(part)
      places[part.rawValue] = place
    }
    var number: Int32 = 0
    for part in PackedSampleQuestion.Parts.withValues {
      guard let place = places[part.rawValue] else { continue }
      number += 1
      plan.aConstraintUsage[place].argvIndex = number
    }
    if let order = order(plan) {
      parts.formUnion(order)
      plan.orderByConsumed = 1
    }
    plan.idxNum = parts.rawValue
    plan.estimatedCost = cost(parts)
    plan.estimatedRows = Int64(plan.estimatedCost)
  }

  private static func part(_ column: Column, _ operation: Int32) -> PackedSampleQuestion.Parts? {
    switch (column, operation) {
    case (.type, SQLITE_INDEX_CONSTRAINT_EQ): .type
    case (.start, SQLITE_INDEX_CONSTRAINT_GT), (.start, SQLITE_INDEX_CONSTRAINT_GE): .startFrom
    case (.start, SQLITE_INDEX_CONSTRAINT_LT), (.start, SQLITE_INDEX_CONSTRAINT_LE): .startUpTo
    case (.id, SQLITE_INDEX_CONSTRAINT_EQ): .change
    case (.id, SQLITE_INDEX_CONSTRAINT_GT), (.id, SQLITE_INDEX_CONSTRAINT_GE): .changeFrom
    case (.id, SQLITE_INDEX_CONSTRAINT_LT), (.id, SQLITE_INDEX_CONSTRAINT_LE): .changeUpTo
    case (.uuid, SQLITE_INDEX_CONSTRAINT_EQ): .uuid
    default: nil
    }
  }

  private static func cost(_ parts: PackedSampleQuestion.Parts) -> Double {
    if !parts.isDisjoint(with: [.change, .uuid]) { return 3000 }
    var cost = 1e7
    if parts.contains(.type) { cost /= 2 }
    if parts.contains(.startFrom) { cost /= 8 }
    if parts.contains(.startUpTo) { cost /= 8 }
    if parts.contains(.changeFrom) { cost /= 16 }
    return cost
  }

  private static func order(_ plan: sqlite3_index_info) -> PackedSampleQuestion.Parts? {
    let terms = (0..<Int(plan.nOrderBy)).map { plan.aOrderBy[$0] }
    let columns = terms.map(\.iColumn)
    guard let first = terms.first, terms.allSatisfy({ $0.desc == first.desc }) else { return nil }
    let direction: PackedSampleQuestion.Parts = first.desc == 0 ? [] : .descending
    // What follows a place in the change log, of which there is one, orders nothing more.
    if columns[0] == Column.id.rawValue { return direction.union(.byChange) }
    let isByStart = columns[0] == Column.start.rawValue
    return isByStart && (columns.count == 1 || columns[1] == Column.id.rawValue) ? direction : nil
  }

  // MARK: - Asking

  private static func question(
    _ rawParts: Int32, _ values: UnsafeBufferPointer<OpaquePointer?>
  ) -> PackedSampleQuestion {
    let parts = PackedSampleQuestion.Parts(rawValue: rawParts)
    var question = PackedSampleQuestion()
    question.isByChange = parts.contains(.byChange)
    question.isDescending = parts.contains(.descending)
    var rest = values[...]
    for part in PackedSampleQuestion.Parts.withValues where parts.contains(part) {
      guard let value = rest.popFirst().flatMap({ $0 }) else { continue }
      if part == .uuid {
        question.narrow(toUUID: value)
      } else {
        question.narrow(part, value)
      }
    }
    return question
  }

  // MARK: - Telling

  private static func tell(
    _ column: Column, of block: StoredBlock, at place: Int, to context: OpaquePointer?
  ) {
    switch column {
    case .id: sqlite3_result_int64(context, block.changes[place])
    case .type: sqlite3_result_int64(context, block.header.type)
    case .start: sqlite3_result_int64(context, block.starts[place])
    case .end where block.end(at: place) > block.starts[place]:
      sqlite3_result_int64(context, block.end(at: place))
    case .provenance: sqlite3_result_int64(context, block.header.provenance)
    case .metadata:
      guard let metadata = block.header.metadata else { return sqlite3_result_null(context) }
      sqlite3_result_int64(context, metadata)
    case .value: sqlite3_result_double(context, block.values[place])
    case .unit: sqlite3_result_int64(context, block.header.unit)
    case .block: sqlite3_result_int64(context, block.header.id)
    // An instant, as in `sample`.
    case .end, .uuid: sqlite3_result_null(context)
    }
  }

  private static func tell(_ uuid: (high: UInt64, low: UInt64)?, to context: OpaquePointer?) {
    guard let uuid else { return sqlite3_result_null(context) }
    withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) {
      // SQLITE_TRANSIENT, a macro: SQLite copies.
      sqlite3_result_blob(context, $0.baseAddress, 16, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }
}

extension PackedSampleQuestion {
  /// Bounds are taken as they come, the exclusive ones as if they were not: SQLite checks them again.
  mutating func narrow(_ part: Parts, _ value: OpaquePointer) {
    // A bound of another kind than a whole number is SQLite's to compare.
    guard sqlite3_value_numeric_type(value) == SQLITE_INTEGER else {
      if sqlite3_value_type(value) == SQLITE_NULL { isEmpty = true }
      return
    }
    let number = sqlite3_value_int64(value)
    switch part {
    case .type: type = number
    case .startFrom: starts = clamp(starts, from: number)
    case .startUpTo: starts = clamp(starts, upTo: number)
    case .change:
      changes = clamp(changes, from: number)
      if !isEmpty { changes = clamp(changes, upTo: number) }
    case .changeFrom: changes = clamp(changes, from: number)
    case .changeUpTo: changes = clamp(changes, upTo: number)
    default: break
    }
  }

  /// Only one of version 8 names the time of its sample; blocks hold no other.
  mutating func narrow(toUUID value: OpaquePointer) {
    guard sqlite3_value_type(value) == SQLITE_BLOB, sqlite3_value_bytes(value) == 16,
      let bytes = sqlite3_value_blob(value)
    else {
      isEmpty = true
      return
    }
    let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    guard high & 0xF000 == 0x8000 else {
      isEmpty = true
      return
    }
    let first = Int64(high >> 16) * 1000
    uuid = WantedUUID(high: high, low: low, millisecond: first...first + 999)
    // No sample of a block lasts longer than its hour.
    starts = clamp(starts, from: first - HourSummary.length)
    if !isEmpty { starts = clamp(starts, upTo: first + 999) }
  }

  mutating func narrow(startsFrom time: Int64) { starts = clamp(starts, from: time) }
  mutating func narrow(startsUpTo time: Int64) { starts = clamp(starts, upTo: time) }

  private mutating func clamp(_ range: ClosedRange<Int64>, from bound: Int64) -> ClosedRange<Int64> {
    guard bound <= range.upperBound else {
      isEmpty = true
      return range
    }
    return max(range.lowerBound, bound)...range.upperBound
  }

  private mutating func clamp(_ range: ClosedRange<Int64>, upTo bound: Int64) -> ClosedRange<Int64> {
    guard bound >= range.lowerBound else {
      isEmpty = true
      return range
    }
    return range.lowerBound...min(range.upperBound, bound)
  }
}
