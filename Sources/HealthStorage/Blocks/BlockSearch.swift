import GRDBSQLite

/// Finds the compressed segments that may contain samples of a query.
///
/// For results in the order of their start, segments are found one by one, so that a query with few results
/// is cheap. For results in the order of the change log, or if the query restricts only change log positions,
/// all segments are found at once, because no index is sorted by the lowest change log position of a segment.
final class BlockSearch {
  typealias Candidate = CandidateRows.Candidate

  /// The compressed segments that are still to be found, in the order of their start.
  private var rows: CandidateRows?
  /// The compressed segments in reverse order, if all are found at once. The last element is the next
  /// segment.
  private var found: [Candidate] = []
  private(set) var next: Candidate?

  init(_ question: PackedSampleRequest, _ connection: OpaquePointer) throws(BlockReadError) {
    guard !question.isEmpty else { return }
    if question.isByChange || question.isNarrowerByChange {
      found = try Self.findAll(question, connection)
    } else {
      rows = try CandidateRows(.start, question, connection)
    }
    try advance()
  }

  func advance() throws(BlockReadError) {
    if let rows { next = try rows.next() } else { next = found.popLast() }
  }

  /// Returns the IDs of all compressed segments that may contain samples of a query.
  /// - Throws: `BlockReadError`.
  static func all(
    _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [Int64] {
    question.isEmpty ? [] : try findAll(question, connection).reversed().map(\.id)
  }

  /// Returns all compressed segments that may contain samples of a query, in reverse order.
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
