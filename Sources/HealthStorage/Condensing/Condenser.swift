import GRDB

/// Compacts old samples, hour by hour from the earliest one: rows become segments, and small segments are
/// merged. A pass covers the hours that are over; a later pass those that are over since, or got new samples.
///
/// Each step is one search or one transaction of one hour. A caller can stop after any step.
package struct Condenser: Sendable {
  /// Time after the end of an hour in which late samples arrive and live queries read the hour, in
  /// microseconds.
  static let lateness: Int64 = 600_000_000

  private let database: SampleDatabase
  /// The pass has covered everything that starts earlier. Samples before 1970 are not compacted.
  private var place: Int64 = 0
  /// The end of the last complete pass. Later hours were not over.
  private var open: Int64 = 0
  /// The last change before this pass began, and before the last complete one began.
  private var lastChange: (now: Int64, before: Int64?) = (0, nil)
  /// The kinds of the current hour that are still to be compacted, in reverse order.
  private var tasks: [PackableHour] = []

  package init(_ database: SampleDatabase) { self.database = database }

  /// Begins a pass. The first one covers everything.
  /// - Throws: `StorageError`.
  package mutating func look() async throws {
    lastChange.now = try await database.lastCondensable()
    tasks = []
    place = open
    if let change = lastChange.before, let first = try await database.firstStart(after: change) {
      place = max(0, min(open, HourSummary.start(of: first)))
    }
  }

  /// Does the next step.
  /// - Parameter now: Microseconds since 1970.
  /// - Returns: nil at the end of the pass.
  /// - Throws: `StorageError`. Earlier steps are complete, and this one changed nothing.
  package mutating func step(at now: Int64) async throws -> CondensingStep? {
    if let task = tasks.popLast() {
      let step = try await perform(task)
      // The hour may have more than one transaction can compact.
      if case .packed = step { tasks.append(task) }
      return step
    }
    let end = HourSummary.start(of: now - Self.lateness)
    guard let hour = try await database.firstHour(from: place, upTo: end) else {
      open = max(end, 0)
      lastChange.before = lastChange.now
      return nil
    }
    tasks = try await database.packableHours(in: hour..<hour + HourSummary.length).reversed()
    place = hour + HourSummary.length
    return .looked
  }

  private func perform(_ task: PackableHour) async throws -> CondensingStep {
    do {
      let outcome = try await database.packHour(task)
      return switch outcome {
      case .nothing: .looked
      case .packed(let count, _, _, _): .packed(rows: count)
      case .differs(let reason): .left(try await name(task), reason: reason)
      }
    } catch StorageError.damagedBlock(let text) {
      return .left(try await name(task), reason: text)
    } catch StorageError.sqlite("SQLITE_CORRUPT", let message) {
      // The message names the file's damage. Other hours are not affected.
      return .left(try await name(task), reason: message)
    }
  }

  /// - Throws: If the name of the type cannot be read.
  private func name(_ task: PackableHour) async throws -> String {
    let type = try await database.read { database in
      try String.fetchOne(
        database, sql: "SELECT identifier FROM object_type WHERE id = ?", arguments: [task.type])
    }
    return BlockReadError.name(type: type ?? "an unknown type", start: task.start)
  }
}

/// The result of one step.
package enum CondensingStep: Hashable, Sendable {
  /// It searched for hours to compact.
  case looked
  /// It compacted this number of samples.
  case packed(rows: Int)
  /// It could not compact an hour, which is unchanged.
  case left(String, reason: String)
}

/// The result of a pass.
package struct CondensingTally: Hashable, Sendable {
  /// Number of samples that were compacted: rows, and samples in small segments.
  package var rows = 0
  /// Number of hours of one kind of samples each.
  package var hours = 0
  /// Number of hours that could not be compacted: the result would have differed, or a segment cannot be
  /// read.
  package var left = 0
  /// The last of these hours, and the reason.
  package var reason: String?

  package init() {}

  package mutating func add(_ step: CondensingStep) {
    switch step {
    case .looked: break
    case .packed(let rows):
      self.rows += rows
      hours += 1
    case .left(let hour, let reason):
      left += 1
      self.reason = "\(hour): \(reason)"
    }
  }
}
