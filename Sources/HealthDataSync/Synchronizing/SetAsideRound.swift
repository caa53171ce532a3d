import Foundation
import HealthKit
import HealthStorage

/// Tries again what a destination has refused.
///
/// Each record has its own time, which is later with each attempt. Whatever becomes of them, the change log
/// is carried as if they were not there: a failure at one of them is kept with the record, and counts neither
/// as an attempt of the run nor as its success.
struct SetAsideRound {
  private static let recordsAtOnce = 100
  /// After so many failures it is the destination, and no record.
  private static let mostFailures = 2

  private let context: RunContext
  /// Microseconds.
  private let pauses: (first: Int64, longest: Int64)
  /// What was set aside before a run that ends, in the order of turns, as far as it was not tried yet: each
  /// is tried once, and what the run sets aside itself is not. Noted at its beginning, 16 bytes for each: by
  /// a clock that may be set back nothing says what was before.
  private var waiting: [UUID]?
  private var isOver = false
  /// Since the last failure; nil: there was none.
  private var rest: (elapsed: @Sendable () -> Duration, length: Duration)?

  init(_ context: RunContext) {
    self.context = context
    pauses = (
      context.policy.firstPauseOfSetAside.wholeMicroseconds,
      context.policy.longestPauseOfSetAside.wholeMicroseconds
    )
  }

  private var destination: SyncDestinationRecord { context.destination }
  private var ledger: SyncLedger { context.ledger }
  private var carrier: PageCarrier { context.carrier }

  /// Before the log is carried.
  mutating func prepare() async throws {
    guard !context.follows, waiting == nil else { return }
    waiting = try await ledger.refusedUUIDs(of: destination.id, at: now)
  }

  /// - Parameters:
  ///   - places: how far each type was carried.
  ///   - resets: how often the destination had been reset by then.
  /// - Returns: after how long there is something to try; nil: never.
  /// - Throws: as opening the external store does, where it fails at a record; `HKError`.
  mutating func perform(upTo places: [String: ChangeLogPlace], resets: Int64) async throws -> Duration? {
    guard !isOver else { return nil }
    isOver = !context.follows
    if let rest, rest.elapsed() < rest.length { return rest.length - rest.elapsed() }
    rest = nil
    var failures = 0
    repeat {
      for (type, uuids) in Self.grouped(try await next()) {
        if let type = SampleTypes.type(type), let place = places[type.identifier] {
          let attempt = Attempt(type: type, place: place, resets: resets)
          guard try await carry(uuids, attempt, &failures) else { return nil }
        }
        if failures >= Self.mostFailures {
          rest = (context.clock.stopwatch(), .microseconds(pauses.first))
          return .microseconds(pauses.first)
        }
        // Also of those of which nothing can be said for now, as of a sample that may not be read.
        try await ledger.noteTurn(of: uuids, of: destination.id, at: now)
      }
      // A run that goes on looks at the change log after each page.
    } while waiting?.isEmpty == false
    return context.follows ? try await pause() : nil
  }

  /// The records whose turn it is.
  private mutating func next() async throws -> [SyncRefusalRecord] {
    guard let all = waiting else {
      return try await ledger.dueRefusals(of: destination.id, times, limit: Self.recordsAtOnce)
    }
    waiting = Array(all.dropFirst(Self.recordsAtOnce))
    return try await ledger.refusals(of: destination.id, among: all.prefix(Self.recordsAtOnce))
  }

  /// By type, in the order in which they stand.
  private static func grouped(_ records: [SyncRefusalRecord]) -> [(type: String, uuids: [UUID])] {
    let groups = Dictionary(grouping: records, by: \.type)
    var seen: Set<String> = []
    return records.map(\.type).filter { seen.insert($0).inserted }
      .map { ($0, groups[$0, default: []].map(\.uuid)) }
  }

  /// Until the next record is due.
  private func pause() async throws -> Duration? {
    let times = times
    return try await ledger.nextRefusalDue(of: destination.id, times).map {
      .microseconds(max($0 - times.now, 0))
    }
  }

  private var times: RefusalTimes {
    RefusalTimes(now: now, first: pauses.first, longest: pauses.longest)
  }

  private var now: Int64 { Microseconds.clamped(Date()) }

  private struct Attempt {
    let type: HKSampleType
    let place: ChangeLogPlace
    let resets: Int64
  }

  /// Tries records together and, where the destination fails at that, one by one.
  /// - Returns: false if the destination was reset meanwhile.
  private func carry(
    _ uuids: [UUID], _ attempt: Attempt, _ failures: inout Int
  ) async throws -> Bool {
    let page = try await carrier.store.changePage(of: attempt.type, with: Set(uuids), upTo: attempt.place)
    guard page.count > 0 else { return true }
    let elapsed = context.clock.stopwatch()
    defer { context.board.update { $0.timeCarrying += elapsed() } }
    let sent: PageCarrier.Sent
    do {
      sent = try await carrier.carry(page, of: attempt.type, supersedes: true)
    } catch let failure as ExternalStoreError {
      if uuids.count == 1 {
        failures += 1
        for uuid in uuids {
          try await ledger.postpone(uuid, reason: failure.description, of: destination.id, at: now)
        }
      }
      // As after any failure nothing is known of what is open.
      await carrier.close()
      try await carrier.open()
      guard uuids.count > 1 else { return true }
      for uuid in uuids where failures < Self.mostFailures {
        guard try await carry([uuid], attempt, &failures) else { return false }
      }
      return true
    }
    return try await context.save(sent, nil, resets: attempt.resets)
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    // Longer than a century is the same as for ever.
    return min(max(seconds, 0), 3_000_000_000) * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
