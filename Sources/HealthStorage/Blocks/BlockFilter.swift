import GRDB

/// Evaluates a sample filter on compressed segments. All samples of a segment have the same type, source and
/// metadata, so conditions on these are evaluated once per ``BlockKind``, and only conditions on times for
/// each sample. Conditions of other kinds are not allowed (`SampleFilter.isAlikeWithinBlocks`). Use it only
/// inside the database access in which it was created.
final class BlockFilter {
  /// The filter with its conditions on times, which are evaluated for each sample.
  let times: QuantityFilter
  /// An SQL query for a type, unit, provenance and metadata, whose result is therefore the same for all
  /// samples of a compressed segment. It returns no row if no sample can match. Otherwise it returns the
  /// results of the conditions that the filter combines with time conditions by OR or NOT.
  private let request: Statement
  private let arguments: (results: StatementArguments, untimed: StatementArguments)
  /// The results of `request` so far; `nil` if no sample of the kind can match.
  private var results: [BlockKind: [Bool]?] = [:]

  init(_ filter: SampleFilter, in database: Database) throws {
    times = QuantityFilter(filter)
    let untimed = SampleFilter.all(times.untimed).conditionRegardlessOfPermission
    let results = times.columns.map(\.conditionRegardlessOfPermission)
    request = try database.makeStatement(
      sql: """
        SELECT 1\(results.map { ", ifnull(\($0.sql), 0)" }.joined())
        FROM (SELECT ? AS type, ? AS unit, ? AS provenance, ? AS metadata) AS sample WHERE (\(untimed.sql))
        """)
    arguments = (results.reduce(into: StatementArguments()) { $0 += $1.arguments }, untimed.arguments)
  }

  /// Evaluates the conditions that do not concern times for the samples of a kind.
  /// - Returns: The results that `QuantityFilter.admits` needs to evaluate the conditions on times; `nil` if
  ///   no sample of the kind can match.
  func results(of kind: BlockKind) throws -> [Bool]? {
    if let known = results[kind] { return known }
    let row = try Row.fetchOne(
      request,
      arguments: arguments.results + [kind.type, kind.unit, kind.provenance, kind.metadata]
        + arguments.untimed)
    let found: [Bool]? = try row.map { row in
      try times.columns.indices.map { try row.decode(atIndex: 1 + $0) }
    }
    results[kind] = .some(found)
    return found
  }

  /// Returns the conditions for a search in the index of compressed segments that may contain matching
  /// samples.
  func blocks(in database: Database) throws(BlockReadError) -> PackedSampleRequest {
    var request = PackedSampleRequest()
    for bound in times.bounds {
      switch bound {
      case .startsBefore(let time):
        request.narrow(startsUpTo: time)
      // A sample in a compressed segment ends in the hour in which it starts. So if it ends at `time` or
      // later, it starts in that hour or later.
      case .endsFrom(let time):
        request.narrow(startsFrom: HourSummary.start(of: max(time, 0)))
        request.endsFrom = max(request.endsFrom, time)
      default: break
      }
    }
    for part in times.untimed {
      guard case .type(let identifier) = part else { continue }
      do {
        request.type = try Int64.fetchOne(
          database, sql: "SELECT id FROM object_type WHERE identifier = ?", arguments: [identifier])
      } catch {
        throw .sqlite((error as? DatabaseError)?.extendedResultCode.rawValue ?? 1)
      }
    }
    return request
  }
}

extension SampleFilter {
  /// Whether a compressed segment can be filtered without reading its samples, except for conditions on
  /// times: each other condition matches either all samples of the segment or none.
  var isAlikeWithinBlocks: Bool {
    switch self {
    case .everything, .nothing, .type, .sources, .revisions, .devices, .deviceField, .metadata: true
    case .startsBefore, .startsFrom, .endsBefore, .endsFrom: true
    case .all(let parts), .any(let parts): parts.allSatisfy(\.isAlikeWithinBlocks)
    case .not(let part): part.isAlikeWithinBlocks
    default: false
    }
  }
}
