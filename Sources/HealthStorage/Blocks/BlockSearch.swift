import GRDBSQLite

/// The rows of blocks and of batches that may hold what a question is about, one after another.
///
/// In order of start they are found as they are asked for, so that a page costs what it shows. In that of the
/// change log all are found at once, for no index has the first places in order; and where nothing but places
/// in the change log is asked for.
final class BlockSearch {
  typealias Candidate = CandidateRows.Candidate

  /// The tables that are gone through, and the next row of each.
  private var tables: [(rows: CandidateRows, next: Candidate)] = []
  /// Where they were found all at once; the last one comes next.
  private var found: [Candidate] = []
  /// The one that comes next.
  private(set) var next: Candidate?

  /// - Throws: `BlockReadError`.
  init(_ question: PackedSampleRequest, _ connection: OpaquePointer) throws(BlockReadError) {
    guard !question.isEmpty else { return }
    if question.isByChange || question.isNarrowerByChange {
      found = try Self.findAll(question, connection)
    } else {
      for table in [CandidateRows.Table.blocks, .batches] {
        guard let rows = try CandidateRows(of: table, .start, question, connection),
          let first = try rows.next()
        else { continue }
        tables.append((rows, first))
      }
    }
    try advance()
  }

  /// - Throws: `BlockReadError`.
  func advance() throws(BlockReadError) {
    guard let least = tables.indices.min(by: { tables[$0].next.bound < tables[$1].next.bound }) else {
      next = found.popLast()
      return
    }
    next = tables[least].next
    if let following = try tables[least].rows.next() {
      tables[least].next = following
    } else {
      tables.remove(at: least)
    }
  }

  /// All rows that may hold what a question is about.
  /// - Throws: `BlockReadError`.
  static func all(
    _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [PackedRow] {
    question.isEmpty ? [] : try findAll(question, connection).reversed().map(\.row)
  }

  /// - Returns: the first one last.
  private static func findAll(
    _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [Candidate] {
    let isByStart = question.starts != .min ... .max && question.changes == .min ... .max
    var found: [Candidate] = []
    for table in [CandidateRows.Table.blocks, .batches] {
      let rows = try CandidateRows(of: table, isByStart ? .start : .change, question, connection)
      while let candidate = try rows?.next() { found.append(candidate) }
    }
    return found.sorted { ($0.bound, $0.row) > ($1.bound, $1.row) }
  }
}
