import Foundation
import HealthKit
import HealthStorage

/// Carries what there is, until each type has been read to its end. What it learnt of a round it keeps for
/// the next.
struct SyncRound {
  /// So many changes of other types may lie behind the cursor of a quiet one, and have to be looked through
  /// again when the next run begins.
  private static let greatestLag: Int64 = 10_000

  private let context: RunContext

  /// The cursors, as they are in the store.
  private var saved: [String: ChangeLogPlace] = [:]
  /// How often the destination had been reset when they were taken, and where the log ended at the last time.
  private var resets: (count: Int64, at: Int64) = (0, 0)
  /// How far each type was looked through. Where there was nothing to carry it is ahead of the cursor.
  private var looked: [String: ChangeLogPlace] = [:]
  /// Types whose cursor is in another log: what is carried of them is counted anew.
  private var anew: Set<String> = []
  /// How far the whole log was looked through.
  private var lastChange: Int64?
  private var setAside: SetAsideRound
  /// Whether the store says that the destination was reached since the last failure.
  private var isSuccessNoted = false
  /// The types that the destination never accepts, with the reason, as they are in the store; nil before the
  /// first look.
  private var rejected: [String: String]?

  init(_ context: RunContext) {
    self.context = context
    setAside = SetAsideRound(context)
  }

  private var destination: SyncDestinationRecord { context.destination }
  private var ledger: SyncLedger { context.ledger }

  /// - Parameter succeeded: called whenever something of the log went over.
  /// - Returns: how long until there is something to do, also where nothing is committed; nil: for ever.
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
    // Last: what is set aside keeps nothing else waiting.
    return try await setAside.perform(upTo: saved, resets: resets.count)
  }

  mutating func failed() { isSuccessNoted = false }

  /// Begins where the cursors are: whoever resets a destination moves them.
  /// - Returns: whether they are not where this run left them.
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

  // MARK: - The log

  /// - Returns: false if the destination was reset meanwhile.
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
      // The next page is read while the external store is at work on this one.
      async let ahead = reader.next()
      guard try await carry(page, succeeded) else { return false }
      next = try await ahead
      context.board.update { $0.timeCarrying += elapsed() }
    }
    return true
  }

  /// The types whose samples go to the destination. What it never accepts is decided for a whole type, and
  /// counted: record by record, each would be sent, set aside and tried again.
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

  /// Sends a page, and then saves that it was sent: never the other way round.
  /// - Returns: false if the destination was reset meanwhile.
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

  /// Moves the cursors of quiet types after the others.
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
