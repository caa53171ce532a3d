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

  private let destination: SyncDestinationRecord
  private let ledger: SyncLedger
  private let carrier: PageCarrier
  private let clock: any Clock<Duration>
  private let board: ProgressBoard
  private let follows: Bool
  /// Microseconds.
  private let pauses: (first: Int64, longest: Int64)
  /// A run that ends tries each once that was set aside before it: so many. It counts them, for a clock may
  /// step; what it sets aside itself comes behind them.
  private var left: Int?
  private var isOver = false
  /// Since the last failure; nil: there was none.
  private var rest: (elapsed: @Sendable () -> Duration, length: Duration)?

  init(
    _ destination: SyncDestinationRecord, _ ledger: SyncLedger, _ carrier: PageCarrier, _ policy: SyncPolicy,
    _ clock: any Clock<Duration>, _ board: ProgressBoard, follows: Bool
  ) {
    self.destination = destination
    self.ledger = ledger
    self.carrier = carrier
    self.clock = clock
    self.board = board
    self.follows = follows
    pauses = (
      policy.firstPauseOfSetAside.wholeMicroseconds, policy.longestPauseOfSetAside.wholeMicroseconds
    )
  }

  /// Before the log is carried.
  mutating func prepare() async throws {
    guard !follows, left == nil else { return }
    left = try await ledger.refusalCount(of: destination.id)
  }

  /// - Parameters:
  ///   - places: how far each type was carried.
  ///   - resets: how often the destination had been reset by then.
  /// - Returns: after how long there is something to try; nil: never.
  /// - Throws: as opening the external store does, where it fails at a record; `HKError`.
  mutating func perform(upTo places: [String: ChangeLogPlace], resets: Int64) async throws -> Duration? {
    guard !isOver else { return nil }
    isOver = !follows
    if let rest, rest.elapsed() < rest.length { return rest.length - rest.elapsed() }
    rest = nil
    var failures = 0
    var hasTried = false
    var last: SyncRefusalRecord?
    // A run that goes on looks at the change log after each page.
    while !(follows && hasTried) {
      let records = try await ledger.refusals(
        of: destination.id, choice, after: last, limit: min(left ?? .max, Self.recordsAtOnce))
      guard !records.isEmpty else { break }
      last = records.last
      left = left.map { $0 - records.count }
      for (type, group) in Self.grouped(records) {
        guard let type = SampleTypes.type(type), let place = places[type.identifier] else { continue }
        let attempt = Attempt(type: type, place: place, resets: resets)
        switch try await carry(group.map(\.uuid), attempt, &failures) {
        case .tried: hasTried = true
        case .nothing: break
        case .superseded: return nil
        }
        if failures >= Self.mostFailures {
          rest = (clock.stopwatch(), .microseconds(pauses.first))
          return .microseconds(pauses.first)
        }
      }
    }
    return follows ? try await pause(hasTried) : nil
  }

  /// By type, in the order in which they stand.
  private static func grouped(_ records: [SyncRefusalRecord]) -> [(type: String, [SyncRefusalRecord])] {
    let groups = Dictionary(grouping: records, by: \.type)
    var seen: Set<String> = []
    return records.map(\.type).filter { seen.insert($0).inserted }.map { ($0, groups[$0] ?? []) }
  }

  /// Until the next record is due. One that nothing can be said of for now, as its sample may not be read, is
  /// always due.
  private func pause(_ hasTried: Bool) async throws -> Duration? {
    let times = times
    return try await ledger.nextRefusalDue(of: destination.id, times).map {
      .microseconds(max($0 - times.now, hasTried ? 0 : pauses.first))
    }
  }

  private var choice: RefusalChoice { follows ? .due(times) : .all }

  private var times: RefusalTimes {
    RefusalTimes(now: Microseconds.clamped(Date()), first: pauses.first, longest: pauses.longest)
  }

  private struct Attempt {
    let type: HKSampleType
    let place: ChangeLogPlace
    let resets: Int64
  }

  private enum Outcome {
    case tried
    /// Nothing was there to be carried.
    case nothing
    /// The destination was reset meanwhile.
    case superseded
  }

  /// Tries records together and, where the destination fails at that, one by one.
  private func carry(
    _ uuids: [UUID], _ attempt: Attempt, _ failures: inout Int
  ) async throws -> Outcome {
    let page = try await carrier.store.changePage(of: attempt.type, with: Set(uuids), upTo: attempt.place)
    guard page.count > 0 else { return .nothing }
    let carried: CarriedRecords
    do {
      carried = try await carrier.carry(page, of: attempt.type, supersedes: true)
    } catch let failure as ExternalStoreError {
      if uuids.count == 1 {
        failures += 1
        for uuid in uuids {
          try await ledger.postpone(
            uuid, reason: failure.description, of: destination.id, at: Microseconds.clamped(Date()))
        }
      }
      // As after any failure nothing is known of what is open.
      await carrier.close()
      try await carrier.open()
      guard uuids.count > 1 else { return .tried }
      for uuid in uuids where failures < Self.mostFailures {
        if case .superseded = try await carry([uuid], attempt, &failures) { return .superseded }
      }
      return .tried
    }
    let (ledger, id, resets) = (ledger, destination.id, attempt.resets)
    switch try await HKError.translating({ try await ledger.save(carried, nil, to: id, resets: resets) }) {
    case .saved:
      board.update { $0.count(carried) }
      return .tried
    case .superseded: return .superseded
    case .gone: throw SyncDestinationError.unknown(destination.name)
    }
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    // Longer than a century is the same as for ever.
    return min(max(seconds, 0), 3_000_000_000) * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
