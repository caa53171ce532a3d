import Foundation
import HealthKit
import HealthStorage

/// A round that sends all pending changes until each type is read to its end. It keeps its state for the next
/// round.
struct SyncRound {
  /// Maximum distance of a quiet type's cursor behind the log. These changes of other types must be scanned
  /// again when the next run starts.
  private static let greatestLag: Int64 = 10_000

  private let context: RunContext

  /// The cursors in the store.
  private var saved: [String: ChangeLogPlace] = [:]
  /// The number of resets of the destination when the cursors were read, and the end of the log at the last
  /// reset.
  private var resets: (count: Int64, at: Int64) = (0, 0)
  /// The position up to which each type was read. It is ahead of the cursor if there was nothing to send.
  private var looked: [String: ChangeLogPlace] = [:]
  /// Types whose cursor belongs to another log. Their counts start from 0.
  private var anew: Set<String> = []
  /// The position up to which the whole log was read.
  private var lastChange: Int64?
  private var setAside: SetAsideRound
  /// Whether the store has recorded a success since the last failure.
  private var isSuccessNoted = false
  /// The types that the destination never accepts, with the reason, as recorded in the store. It is `nil`
  /// before the first check.
  private var rejected: [String: String]?

  init(_ context: RunContext) {
    self.context = context
    setAside = SetAsideRound(context)
  }

  private var destination: SyncDestinationRecord { context.destination }
  private var ledger: SyncLedger { context.ledger }

  /// Runs a round.
  ///
  /// - Parameter succeeded: Called whenever a page of the log was sent.
  /// - Returns: The delay until there is work even without a commit, or `nil` if there is none.
  mutating func perform(_ succeeded: () -> Void) async throws -> Duration? {
    try await setAside.prepare()
    let isReset = try await takeCursors()
    let end = try await ledger.lastChange()
    if isReset || end != lastChange {
      lastChange = nil
      while try await !carryAll(succeeded) { _ = try await takeCursors() }
      lastChange = end
      try await keepUp()
    }
    if !isSuccessNoted {
      try await ledger.noteSuccess(of: destination.id, at: Microseconds.clamped(Date()))
      isSuccessNoted = true
    }
    // Dead-letter records come last, so that they do not delay other changes.
    return try await setAside.perform(upTo: saved, resets: resets.count)
  }

  mutating func failed() { isSuccessNoted = false }

  /// Reads the cursors, which a reset moves.
  ///
  /// - Returns: Whether they differ from those of this run.
  private mutating func takeCursors() async throws -> Bool {
    guard let standing = try await ledger.standing(of: destination.id) else {
      throw SyncDestinationError.unknown(destination.name)
    }
    if standing.resets != standing.resetsTold {
      try await context.carrier.reset(standing.marker)
      try await ledger.noteTold(resets: standing.resets, of: destination.id)
    }
    let places = Dictionary(
      standing.cursors.map { ($0.type, $0.place) }, uniquingKeysWith: { first, _ in first })
    let isReset = standing.resets != resets.count
    resets = (standing.resets, standing.resetAt)
    guard isReset || places != saved else { return false }
    for type in Set(places.keys).union(saved.keys) where isReset || places[type] != saved[type] {
      looked[type] = places[type]
      anew.remove(type)
    }
    saved = places
    return true
  }

  // MARK: - The change log

  /// Sends all changes of the log.
  ///
  /// - Returns: `false` if the destination was reset in the meantime.
  private mutating func carryAll(_ succeeded: () -> Void) async throws -> Bool {
    let store = context.carrier.store
    let types = try await acceptedTypes()
    let pending = try await store.pendingChanges(of: types, destination.filter, after: looked)
    context.board.update {
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
      // The next page is read while the external store processes this one.
      async let ahead = reader.next()
      guard try await carry(page, succeeded) else { return false }
      next = try await ahead
      context.board.update { $0.timeCarrying += elapsed() }
    }
    return true
  }

  /// Returns the types to send.
  ///
  /// Types that the destination never accepts are excluded as a whole and counted. Otherwise each of their
  /// records would be sent, rejected and retried.
  private mutating func acceptedTypes() async throws -> [HKSampleType] {
    let types = try await destination.chosenTypes(in: ledger)
    let reasons = types.reduce(into: [:]) { reasons, type in
      reasons[type.identifier] = context.carrier.reasonToReject(type)
    }
    let known: [String: String] =
      if let rejected { rejected } else { try await ledger.rejectedTypes(of: destination.id) }
    if reasons != known { try await ledger.setRejectedTypes(reasons, of: destination.id) }
    rejected = reasons
    return types.filter { reasons[$0.identifier] == nil }
  }

  /// Sends a page and then saves that it was sent. The order ensures that no page is skipped.
  ///
  /// - Returns: `false` if the destination was reset in the meantime.
  private mutating func carry(_ page: ReadPage, _ succeeded: () -> Void) async throws -> Bool {
    let (type, changes) = (page.type.identifier, page.changes)
    if changes.startsAnew { anew.insert(type) }
    if changes.count > 0 || anew.contains(type) {
      let sent = try await context.carrier.carry(
        changes, of: page.type, supersedes: (looked[type]?.position ?? 0) < resets.at)
      let step = CursorStep(
        from: saved[type], to: changes.end, startsAnew: anew.contains(type), revision: changes.revision)
      guard try await context.save(sent, step, resets: resets.count) else { return false }
      saved[type] = changes.end
      anew.remove(type)
      succeeded()
      context.board.update { $0.pending = max(0, $0.pending - changes.count) }
    }
    looked[type] = changes.end
    return true
  }

  /// Advances the cursors of quiet types.
  private mutating func keepUp() async throws {
    let steps = looked.compactMap { type, place -> (type: String, step: CursorStep)? in
      let before = saved[type]
      guard place.position - (before?.position ?? 0) > Self.greatestLag else { return nil }
      return (type, CursorStep(from: before, to: place, startsAnew: false, revision: 0))
    }
    guard !steps.isEmpty else { return }
    try await ledger.advance(steps, of: destination.id)
    for (type, step) in steps { saved[type] = step.to }
  }
}

extension SampleChangePage {
  var count: Int { added.count + deleted.count + unreadable.count }
}
