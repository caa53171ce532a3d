import GRDB

/// Packs what is old into blocks, hour by hour from the earliest on: the hours that are over, and once more
/// those in which something was stored since.
///
/// Each step is one look at the store or one transaction of one hour. Whoever condenses may leave off after
/// any of them.
package struct Condenser: Sendable {
  /// So long after its end samples of an hour still come, and live queries read them as rows.
  static let lateness: Int64 = 600_000_000

  private let database: SampleDatabase
  /// What starts before it was looked at, as far as it was there then. Nothing before 1970 is packed.
  private var place: Int64 = 0
  /// Where the last look ended: the hours from there on were not over.
  private var open: Int64 = 0
  /// The last change of the store before this look began, and before the last one that came to its end did.
  private var lastChange: (now: Int64, before: Int64?) = (0, nil)
  /// What there is to do of the hour that is looked at, the last one first.
  private var tasks: [Task] = []
  /// The hour whose rows are looked for when that is done. What was committed becomes rows where it is too
  /// little for a block, and makes the block that rows are packed with.
  private var hourOfRows: Int64?

  private enum Task {
    /// Of an hour, which begins then.
    case batches(Int64)
    case rows(PackableHour)
  }

  package init(_ database: SampleDatabase) { self.database = database }

  /// Begins a look at what came since the last one began, and at the hours that were not over then. The first
  /// look is at everything.
  /// - Throws: `StorageError`.
  package mutating func look() async throws {
    lastChange.now = try await database.lastUncondensed()
    (tasks, hourOfRows) = ([], nil)
    place = open
    if let change = lastChange.before, let first = try await database.firstStart(after: change) {
      place = max(0, min(open, HourSummary.start(of: first)))
    }
  }

  /// The next step.
  /// - Parameter now: in microseconds since 1970.
  /// - Returns: nil if for now there is nothing more to do.
  /// - Throws: `StorageError`. What was done stays done, and nothing is done by half.
  package mutating func step(at now: Int64) async throws -> CondensingStep? {
    if let task = tasks.popLast() {
      let step = try await perform(task)
      // There may be more of it.
      if case .packed(let count) = step {
        switch task {
        case .batches: tasks.append(task)
        case .rows: if count >= PackingLimit.most { tasks.append(task) }
        }
      }
      return step
    }
    if let hour = hourOfRows {
      let rows = try await database.packableHours(in: hour..<hour + HourSummary.length)
      (tasks, hourOfRows) = (rows.reversed().map(Task.rows), nil)
      return .looked
    }
    let end = HourSummary.start(of: now - Self.lateness)
    guard let start = try await database.firstStart(from: place, upTo: end) else {
      open = max(end, 0)
      lastChange.before = lastChange.now
      return nil
    }
    let hour = HourSummary.start(of: start)
    if try await database.hasBatches(in: hour) { tasks = [.batches(hour)] }
    hourOfRows = hour
    place = hour + HourSummary.length
    return .looked
  }

  private func perform(_ task: Task) async throws -> CondensingStep {
    do {
      let outcome =
        switch task {
        case .batches(let hour): try await database.packBatches(in: hour)
        case .rows(let hour): try await database.packHour(hour)
        }
      return switch outcome {
      case .nothing: .looked
      case .packed(let count, _, _, _): .packed(rows: count)
      case .differs(let reason): .left(try await name(task), reason: reason)
      }
    } catch StorageError.damagedBlock(let text) {
      return .left(try await name(task), reason: text)
    } catch StorageError.sqlite("SQLITE_CORRUPT", let message) {
      // It names the block, or the file. The other hours are none the worse for it.
      return .left(try await name(task), reason: message)
    }
  }

  /// - Throws: where not even the name of its type can be read.
  private func name(_ task: Task) async throws -> String {
    let hour: PackableHour
    switch task {
    case .batches(let start): return BlockReadError.name(batchesFrom: start)
    case .rows(let rows): hour = rows
    }
    let type = try await database.read { database in
      try String.fetchOne(
        database, sql: "SELECT identifier FROM object_type WHERE id = ?", arguments: [hour.type])
    }
    return BlockReadError.name(type: type ?? "an unknown type", start: hour.start)
  }
}

/// What one step of condensing did.
package enum CondensingStep: Hashable, Sendable {
  /// It found hours to pack, or none.
  case looked
  /// So many rows are in blocks now.
  case packed(rows: Int)
  /// All of an hour stays as it was.
  case left(String, reason: String)
}

/// What became of the hours that were condensed.
package struct CondensingTally: Hashable, Sendable {
  /// Rows that are in blocks now.
  package var rows = 0
  /// Hours of one kind of samples each.
  package var hours = 0
  /// Hours that stay as they were: packed they would not have been the same, or their block cannot be read.
  package var left = 0
  /// Of the last of those: which it is, and why.
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
