import Foundation
import HealthKit
import HealthStorage

/// Carries what there is, until each type has been read to its end. What it learnt of a round it keeps for
/// the next.
struct SyncRound {
  /// So many changes of other types may lie behind the cursor of a quiet one, and have to be looked through
  /// again when the next run begins.
  private static let greatestLag: Int64 = 10_000
  private static let refusalsAtOnce = 100

  private let destination: SyncDestinationRecord
  private let ledger: SyncLedger
  private let carrier: PageCarrier
  private let policy: SyncPolicy
  private let clock: any Clock<Duration>
  private let board: ProgressBoard

  /// The cursors, as they are in the store.
  private var saved: [String: ChangeLogPlace] = [:]
  /// How far each type was looked through. Where there was nothing to carry it is ahead of the cursor.
  private var looked: [String: ChangeLogPlace] = [:]
  /// Types whose cursor is in another log: what is carried of them is counted anew.
  private var anew: Set<String> = []
  /// How far the whole log was looked through.
  private var lastChange: Int64?
  private var hasTriedSetAside = false
  /// Whether the store says that the destination was reached since the last failure.
  private var isSuccessNoted = false

  init(
    _ destination: SyncDestinationRecord, _ ledger: SyncLedger, _ carrier: PageCarrier, _ policy: SyncPolicy,
    _ clock: any Clock<Duration>, _ board: ProgressBoard
  ) {
    self.destination = destination
    self.ledger = ledger
    self.carrier = carrier
    self.policy = policy
    self.clock = clock
    self.board = board
  }

  /// - Parameter succeeded: called whenever something went over.
  mutating func perform(_ succeeded: () -> Void) async throws {
    let isReset = try await takeCursors()
    // Before the log, which sets more aside.
    try await carrySetAside(onlyDue: hasTriedSetAside, succeeded)
    hasTriedSetAside = true
    let end = try await ledger.lastChange()
    if isReset || end != lastChange {
      lastChange = nil
      while try await !carryAll(succeeded) { _ = try await takeCursors() }
      lastChange = end
      try await keepUp()
    }
    guard !isSuccessNoted else { return }
    try await ledger.noteSuccess(of: destination.id, at: Microseconds.clamped(Date()))
    isSuccessNoted = true
  }

  mutating func failed() { isSuccessNoted = false }

  /// Begins where the cursors are: whoever resets a destination moves them.
  /// - Returns: whether they are not where this run left them.
  private mutating func takeCursors() async throws -> Bool {
    guard let cursors = try await ledger.cursors(of: destination.id) else {
      throw SyncDestinationError.unknown(destination.name)
    }
    let places = Dictionary(cursors.map { ($0.type, $0.place) }, uniquingKeysWith: { first, _ in first })
    guard places != saved else { return false }
    for type in Set(places.keys).union(saved.keys) where places[type] != saved[type] {
      looked[type] = places[type]
      anew.remove(type)
    }
    saved = places
    return true
  }

  // MARK: - The log

  /// - Returns: false if the destination was reset meanwhile.
  private mutating func carryAll(_ succeeded: () -> Void) async throws -> Bool {
    let store = carrier.store
    let types = try await destination.types(in: ledger)
    let pending = try await store.pendingChanges(of: types, destination.filter, after: looked)
    board.update {
      $0.state = pending > 0 ? .carrying : $0.state
      $0.pending = pending
    }
    let reader = PageReader(
      store, types, destination.filter, after: looked,
      ChangePageLimit(count: policy.pageCount, bytes: policy.pageBytes))
    var next = try await reader.next()
    while let page = next {
      try Task.checkCancellation()
      let elapsed = clock.stopwatch()
      // The next page is read while the external store is at work on this one.
      async let ahead = reader.next()
      guard try await carry(page, succeeded) else { return false }
      next = try await ahead
      board.update { $0.timeCarrying += elapsed() }
    }
    return true
  }

  /// Carries a page, and then saves that it was: never the other way round.
  /// - Returns: false if the destination was reset meanwhile.
  private mutating func carry(_ page: ReadPage, _ succeeded: () -> Void) async throws -> Bool {
    let (type, changes) = (page.type.identifier, page.changes)
    if changes.startsAnew { anew.insert(type) }
    if changes.count > 0 || anew.contains(type) {
      let carried = try await carrier.carry(changes, of: page.type)
      let step = CursorStep(from: saved[type], to: changes.end, startsAnew: anew.contains(type))
      guard try await save(carried, step) else { return false }
      saved[type] = changes.end
      anew.remove(type)
      succeeded()
      board.update { $0.pending = max(0, $0.pending - changes.count) }
    }
    looked[type] = changes.end
    return true
  }

  private func save(_ carried: CarriedRecords, _ step: CursorStep?) async throws -> Bool {
    let (ledger, id) = (ledger, destination.id)
    switch try await HKError.translating({ try await ledger.save(carried, step, to: id) }) {
    case .saved: break
    case .superseded: return false
    case .gone: throw SyncDestinationError.unknown(destination.name)
    }
    board.update {
      $0.sent += carried.sent
      $0.deleted += carried.deleted
      $0.setAside += carried.refused.count
    }
    return true
  }

  /// Moves the cursors of quiet types after the others.
  private mutating func keepUp() async throws {
    let steps = looked.compactMap { type, place -> (type: String, step: CursorStep)? in
      let before = saved[type]
      guard place.position - (before?.position ?? 0) > Self.greatestLag else { return nil }
      return (type, CursorStep(from: before, to: place, startsAnew: false))
    }
    guard !steps.isEmpty else { return }
    try await ledger.advance(steps, of: destination.id)
    for (type, step) in steps { saved[type] = step.to }
  }

  // MARK: - What is set aside

  private func carrySetAside(onlyDue: Bool, _ succeeded: () -> Void) async throws {
    var last: UUID?
    while true {
      let refusals = try await ledger.refusals(
        of: destination.id, after: last, isDue: onlyDue, limit: Self.refusalsAtOnce)
      guard let end = refusals.last else { return }
      last = end.uuid
      for (type, group) in Dictionary(grouping: refusals, by: \.type) {
        guard let type = SampleTypes.type(type), let place = saved[type.identifier] else { continue }
        let page = try await carrier.store.changePage(
          of: type, with: Set(group.map(\.uuid)), upTo: place)
        guard page.count > 0 else { continue }
        _ = try await save(carrier.carry(page, of: type), nil)
        succeeded()
      }
    }
  }
}

extension SampleChangePage {
  var count: Int { added.count + deleted.count + unreadable.count }
}
