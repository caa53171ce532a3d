import GRDB

/// Which samples of blocks match a filter that `isAlikeWithinBlocks`: its times are asked of each, and all
/// else once of what a block's samples share. Valid only within the access that it was made in.
final class BlockFilter {
  /// What it says of times.
  let times: QuantityFilter
  /// Asks of a block what is alike in all its samples: whether they match but for times, and the answers that
  /// the times' tests need.
  private let question: Statement
  private let arguments: (answers: StatementArguments, untimed: StatementArguments)
  /// What was answered; nil where none of a kind's samples match.
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

  /// - Returns: the answers that `times` needs; nil where none of the samples match.
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

  /// What the indexes can tell of blocks. It leaves out nothing that matches.
  func blocks(in database: Database) throws(BlockReadError) -> PackedSampleRequest {
    var question = PackedSampleRequest()
    for bound in times.bounds {
      switch bound {
      case .startsBefore(let time):
        question.narrow(startsUpTo: time)
      // What ends at a time or after it starts in its hour or after it.
      case .endsFrom(let time): question.narrow(startsFrom: HourSummary.start(of: max(time, 0)))
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
  /// Whether, but for times, it holds of all samples of a block or of none: then it can be asked of blocks.
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
