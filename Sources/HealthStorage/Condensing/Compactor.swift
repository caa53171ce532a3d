import GRDB

/// Compacts old samples hour by hour, starting with the earliest: rows become compressed segments, and small
/// segments are merged. The first pass handles all hours that have ended; later passes handle hours that have
/// ended or received samples since.
///
/// A step is either a search or one transaction for one hour. A caller can stop after any step.
package struct Compactor: Sendable {
  /// Time to wait after the end of an hour, in microseconds. Until then, late samples may arrive and live
  /// displays read the hour.
  static let lateness: Int64 = 600_000_000

  private let database: SampleDatabase
  /// All samples that start before this time were handled in this pass, in microseconds since 1970. Samples
  /// before 1970 are not compacted.
  private var nextStart: Int64 = 0
  /// The end of the last hour that the last complete pass handled. Later hours had not ended then.
  private var open: Int64 = 0
  /// The last change log position at the start of this pass (`now`) and of the last complete pass (`before`).
  private var lastChange: (now: Int64, before: Int64?) = (0, nil)
  /// The groups of samples in the current hour that are still to be compacted, in reverse order: the last
  /// element is the next one.
  private var tasks: [PackableHour] = []

  package init(_ database: SampleDatabase) { self.database = database }

  /// Begins a pass. The first pass handles all hours.
  /// - Throws: `StorageError`.
  package mutating func look() async throws {
    lastChange.now = try await database.endOfChanges()
    tasks = []
    nextStart = open
    if let change = lastChange.before, let first = try await database.firstStart(after: change) {
      nextStart = max(0, min(open, HourSummary.start(of: first)))
    }
  }

  /// Performs the next step of the pass.
  /// - Parameter now: The current time in microseconds since 1970.
  /// - Returns: The result; `nil` at the end of the pass.
  /// - Throws: `StorageError`. If it throws, this step has changed nothing; earlier steps are complete.
  package mutating func step(at now: Int64) async throws -> CompactionStep? {
    if let task = tasks.popLast() {
      let step = try await perform(task)
      // One transaction may not be enough for this hour, so try it again.
      if case .packed = step { tasks.append(task) }
      return step
    }
    let end = HourSummary.start(of: now - Self.lateness)
    guard let hour = try await database.firstHour(from: nextStart, upTo: end) else {
      open = max(end, 0)
      lastChange.before = lastChange.now
      return nil
    }
    tasks = try await database.packableHours(in: hour..<hour + HourSummary.length).reversed()
    nextStart = hour + HourSummary.length
    return .looked
  }

  private func perform(_ task: PackableHour) async throws -> CompactionStep {
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
      // The file is damaged at this hour. The other hours can still be compacted.
      return .left(try await name(task), reason: message)
    }
  }

  /// Returns a name for an hour of samples, to be used in messages.
  /// - Throws: An error if the name of the sample type cannot be read.
  private func name(_ task: PackableHour) async throws -> String {
    let type = try await database.read { database in
      try String.fetchOne(
        database, sql: "SELECT identifier FROM object_type WHERE id = ?", arguments: [task.type])
    }
    return BlockReadError.name(type: type ?? "an unknown type", start: task.start)
  }
}

/// The result of one step.
package enum CompactionStep: Hashable, Sendable {
  /// A search for an hour to compact.
  case looked
  /// The number of samples that were compacted.
  case packed(rows: Int)
  /// An hour could not be compacted and is unchanged. Contains its name and the reason.
  case left(String, reason: String)
}

/// The result of a pass.
package struct CompactionTally: Hashable, Sendable {
  /// Number of samples that were compacted: rows, and samples in small compressed segments.
  package var rows = 0
  /// Number of compacted hours. An hour counts once for each group of samples with the same type, unit,
  /// provenance and metadata.
  package var hours = 0
  /// Number of hours that could not be compacted, because a compressed segment is damaged or the result was
  /// not equal to the original samples.
  package var left = 0
  /// The last hour that could not be compacted, and the reason; `nil` if all were compacted.
  package var reason: String?

  package init() {}

  package mutating func add(_ step: CompactionStep) {
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
