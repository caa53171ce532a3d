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

  init(_ request: PackedSampleRequest, _ connection: OpaquePointer) throws(BlockReadError) {
    guard !request.isEmpty else { return }
    if request.isByChange || request.isNarrowerByChange {
      found = try Self.findAll(request, connection)
    } else {
      rows = try CandidateRows(.start, request, connection)
    }
    try advance()
  }

  func advance() throws(BlockReadError) {
    if let rows { next = try rows.next() } else { next = found.popLast() }
  }

  /// Returns the IDs of all compressed segments that may contain samples of a query.
  /// - Throws: `BlockReadError`.
  static func all(
    _ request: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [Int64] {
    request.isEmpty ? [] : try findAll(request, connection).reversed().map(\.id)
  }

  /// Returns all compressed segments that may contain samples of a query, in reverse order.
  private static func findAll(
    _ request: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) -> [Candidate] {
    let isByStart = request.starts != .min ... .max && request.changes == .min ... .max
    var found: [Candidate] = []
    let rows = try CandidateRows(isByStart ? .start : .change, request, connection)
    while let candidate = try rows.next() { found.append(candidate) }
    return found.sorted { ($0.bound, $0.id) > ($1.bound, $1.id) }
  }
}
