import GRDB

/// Evaluates a filter that `isAlikeWithinBlocks`: conditions on times for each sample, all others once for
/// each kind of samples. Valid only within the access that it was made in.
final class BlockFilter {
  /// The filter's conditions on times.
  let times: QuantityFilter
  /// Evaluates what is alike for all samples of a kind: whether they match regardless of times, and the
  /// values that the conditions on times need.
  private let question: Statement
  private let arguments: (answers: StatementArguments, untimed: StatementArguments)
  /// The results so far; nil if no sample of a kind matches.
  private var answers: [BlockKind: [Bool]?] = [:]

  init(_ filter: SampleFilter, in database: Database) throws {
    times = QuantityFilter(filter)
    let untimed = SampleFilter.all(times.untimed).conditionRegardlessOfPermission
    let answers = times.columns.map(\.conditionRegardlessOfPermission)
    question = try database.makeStatement(
      sql: """
        SELECT 1\(answers.map { ", ifnull(\($0.sql), 0)" }.joined())
        FROM (SELECT ? AS type, ? AS unit, ? AS provenance, ? AS metadata) AS sample WHERE (\(untimed.sql))
        """)
    arguments = (answers.reduce(into: StatementArguments()) { $0 += $1.arguments }, untimed.arguments)
  }

  /// - Returns: The values that `times` needs, or nil if no sample of the kind matches.
  func answers(of kind: BlockKind) throws -> [Bool]? {
    if let known = answers[kind] { return known }
    let row = try Row.fetchOne(
      question,
      arguments: arguments.answers + [kind.type, kind.unit, kind.provenance, kind.metadata]
        + arguments.untimed)
    let found: [Bool]? = try row.map { row in
      try times.columns.indices.map { try row.decode(atIndex: 1 + $0) }
    }
    answers[kind] = .some(found)
    return found
  }

  /// Returns a query of the index for the segments that may contain matching samples.
  func blocks(in database: Database) throws(BlockReadError) -> PackedSampleRequest {
    var question = PackedSampleRequest()
    for bound in times.bounds {
      switch bound {
      case .startsBefore(let time):
        question.narrow(startsUpTo: time)
      // A sample that ends at a time or later starts in the hour of that time or later.
      case .endsFrom(let time):
        question.narrow(startsFrom: HourSummary.start(of: max(time, 0)))
        question.endsFrom = max(question.endsFrom, time)
      default: break
      }
    }
    for part in times.untimed {
      guard case .type(let identifier) = part else { continue }
      do {
        question.type = try Int64.fetchOne(
          database, sql: "SELECT id FROM object_type WHERE identifier = ?", arguments: [identifier])
      } catch {
        throw .sqlite((error as? DatabaseError)?.extendedResultCode.rawValue ?? 1)
      }
    }
    return question
  }
}

extension SampleFilter {
  /// Whether it matches all samples of a segment or none, regardless of times.
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
