import Foundation
import HealthKit
import HealthStorage

/// Sends all accumulated changes of each type. The same value is used for all rounds of a run.
struct SyncRound {
  /// If a type has no changes, its saved position in the change log is advanced only when it is more than
  /// this many entries behind. After a restart, the entries in between are scanned again.
  private static let greatestLag: Int64 = 10_000

  private let context: RunContext

  /// For each type, the change log position up to which changes were sent, as saved in the health store.
  private var saved: [String: ChangeLogCursor] = [:]
  /// The number of resets of the destination when the positions were read, and the end of the change log at
  /// the last reset.
  private var resets: (count: Int64, at: Int64) = (0, 0)
  /// For each type, the change log position up to which changes were read. It is beyond the saved position if
  /// there was nothing to send in between.
  private var looked: [String: ChangeLogCursor] = [:]
  /// Types whose saved position belongs to another change log, because the health store was replaced. The
  /// sent counts of these types start from 0.
  private var restarted: Set<String> = []
  /// The position up to which the change log was read for all types.
  private var lastChange: Int64?
  private var setAside: DeadLetterRound
  /// Whether a success has been recorded in the health store since the last failure.
  private var isSuccessNoted = false
  /// The types that the destination never accepts, with the reasons, as recorded in the health store. It is
  /// `nil` before the first check.
  private var rejected: [String: String]?

  init(_ context: RunContext) {
    self.context = context
    setAside = DeadLetterRound(context)
  }

  private var destination: SyncDestinationRecord { context.destination }
  private var ledger: SyncLedger { context.ledger }

  /// Sends all changes and retries rejected records.
  ///
  /// - Parameter succeeded: Called whenever a page of changes was sent.
  /// - Returns: The delay after which a rejected record is due, or `nil` if no record is to be retried.
  mutating func perform(_ succeeded: () -> Void) async throws -> Duration? {
    try await setAside.prepare()
    let isReset = try await readCursors()
    let end = try await ledger.lastChange()
    if isReset || end != lastChange {
      lastChange = nil
      while try await !uploadAll(succeeded) { _ = try await readCursors() }
      lastChange = end
      try await keepUp()
    }
    if !isSuccessNoted {
      try await ledger.recordSuccess(of: destination.id, at: Microseconds.clamped(Date()))
      isSuccessNoted = true
    }
    // Rejected records are retried last, so that they do not delay new changes.
    return try await setAside.perform(upTo: saved, resets: resets.count)
  }

  mutating func failed() { isSuccessNoted = false }

  /// Reads the saved position of each type, which a reset by the user changes.
  ///
  /// - Returns: Whether the positions changed since the last call.
  private mutating func readCursors() async throws -> Bool {
    guard let state = try await ledger.state(of: destination.id) else {
      throw SyncDestinationError.unknown(destination.name)
    }
    if state.resets != state.reportedResets {
      try await context.uploader.reset(state.marker)
      try await ledger.recordReported(resets: state.resets, of: destination.id)
    }
    let cursors = Dictionary(
      state.cursors.map { ($0.type, $0.cursor) }, uniquingKeysWith: { first, _ in first })
    let isReset = state.resets != resets.count
    resets = (state.resets, state.resetAt)
    guard isReset || cursors != saved else { return false }
    for type in Set(cursors.keys).union(saved.keys) where isReset || cursors[type] != saved[type] {
      looked[type] = cursors[type]
      restarted.remove(type)
    }
    saved = cursors
    return true
  }

  // MARK: - The change log

  /// Sends all changes of the change log.
  ///
  /// - Returns: `false` if the destination was reset in the meantime.
  private mutating func uploadAll(_ succeeded: () -> Void) async throws -> Bool {
    let store = context.uploader.store
    let types = try await acceptedTypes()
    let pending = try await store.pendingChanges(of: types, destination.filter, after: looked)
    context.progressStore.update {
      $0.state = pending > 0 ? .carrying : $0.state
      $0.pending = pending
    }
    let reader = PageReader(
      store, types, destination.filter, after: looked,
      ChangePageLimit(count: context.policy.pageCount, bytes: context.policy.pageBytes))
    var next = try await reader.next()
    while let page = next {
      try Task.checkCancellation()
      let elapsed = context.clock.stopwatch()
      // Read the next page while the external store processes this one.
      async let ahead = reader.next()
      guard try await upload(page, succeeded) else { return false }
      next = try await ahead
      context.progressStore.update { $0.timeCarrying += elapsed() }
    }
    return true
  }

  /// Returns the types to send.
  ///
  /// Excludes the types that the destination never accepts, and records their reasons. If their samples were
  /// sent, each would be rejected and retried.
  private mutating func acceptedTypes() async throws -> [HKSampleType] {
    let types = try await destination.chosenTypes(in: ledger)
    let reasons = types.reduce(into: [:]) { reasons, type in
      reasons[type.identifier] = context.uploader.reasonToReject(type)
    }
    let known: [String: String] =
      if let rejected { rejected } else { try await ledger.rejectedTypes(of: destination.id) }
    if reasons != known { try await ledger.setRejectedTypes(reasons, of: destination.id) }
    rejected = reasons
    return types.filter { reasons[$0.identifier] == nil }
  }

  /// Sends a page of changes and then saves the new position of its type. Because of this order, a crash
  /// never skips changes.
  ///
  /// - Returns: `false` if the destination was reset in the meantime.
  private mutating func upload(_ page: ReadPage, _ succeeded: () -> Void) async throws -> Bool {
    let (type, changes) = (page.type.identifier, page.changes)
    if changes.restarts { restarted.insert(type) }
    if changes.count > 0 || restarted.contains(type) {
      let sent = try await context.uploader.upload(
        changes, of: page.type, supersedes: (looked[type]?.position ?? 0) < resets.at)
      let step = CursorStep(
        from: saved[type], to: changes.end, restarts: restarted.contains(type), revision: changes.revision)
      guard try await context.save(sent, step, resets: resets.count) else { return false }
      saved[type] = changes.end
      restarted.remove(type)
      succeeded()
      context.progressStore.update { $0.pending = max(0, $0.pending - changes.count) }
    }
    looked[type] = changes.end
    return true
  }

  /// Advances the saved positions of types that had no changes to send.
  private mutating func keepUp() async throws {
    let steps = looked.compactMap { type, cursor -> (type: String, step: CursorStep)? in
      let before = saved[type]
      guard cursor.position - (before?.position ?? 0) > Self.greatestLag else { return nil }
      return (type, CursorStep(from: before, to: cursor, restarts: false, revision: 0))
    }
    guard !steps.isEmpty else { return }
    try await ledger.advance(steps, of: destination.id)
    for (type, step) in steps { saved[type] = step.to }
  }
}

extension SampleChangePage {
  var count: Int { added.count + deleted.count + unreadable.count }
}
