import GRDBSQLite

/// The segments that may contain samples of a query, found one after another.
///
/// In order of start, they are found as they are needed, so a page of results costs what it shows. In order
/// of the change log, and for queries that restrict only positions in it, all are found at once, because no
/// index has the first positions in order.
final class BlockSearch {
  typealias Candidate = CandidateRows.Candidate

  /// The rows that are still to be read, in order of start.
  private var rows: CandidateRows?
  /// The candidates of a search that finds all at once, in reverse order.
  private var found: [Candidate] = []
  private(set) var next: Candidate?

  /// - Throws: `BlockReadError`.
  init(_ question: PackedSampleRequest, _ connection: OpaquePointer) throws(BlockReadError) {
    guard !question.isEmpty else { return }
    if question.isByChange || question.isNarrowerByChange {
      found = try Self.findAll(question, connection)
    } else {
      rows = try CandidateRows(.start, question, connection)
    }
    try advance()
  }

  /// - Throws: `BlockReadError`.
  func advance() throws(BlockReadError) {
    if let rows { next = try rows.next() } else { next = found.popLast() }
  }

  /// Returns the ids of all segments that may contain samples of a query.
  /// - Throws: `BlockReadError`.
  static func all(
    _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [Int64] {
    question.isEmpty ? [] : try findAll(question, connection).reversed().map(\.id)
  }

  /// - Returns: The candidates in reverse order.
  private static func findAll(
    _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [Candidate] {
    let isByStart = question.starts != .min ... .max && question.changes == .min ... .max
    var found: [Candidate] = []
    let rows = try CandidateRows(isByStart ? .start : .change, question, connection)
    while let candidate = try rows.next() { found.append(candidate) }
    return found.sorted { ($0.bound, $0.id) > ($1.bound, $1.id) }
  }
}
