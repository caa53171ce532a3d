import Foundation
import HealthKit
import HealthStorage

/// Retries the records in the dead-letter list: the records that the destination has rejected.
///
/// Each record has its own schedule, with a delay that grows with each attempt. Retries do not affect how the
/// change log is sent: the error of a retry is stored with the record, and does not count as a failure of the
/// run.
struct DeadLetterRound {
  private static let recordsAtOnce = 100
  /// Number of failed retries after which the destination, rather than the records, is assumed to be the
  /// cause.
  private static let mostFailures = 2

  private let context: RunContext
  /// The delays before retries, in microseconds.
  private let pauses: (first: Int64, longest: Int64)
  /// The records that were in the list when the run began, in the order in which they are retried; `nil` for
  /// a run that continues until it is canceled.
  ///
  /// Each of them is retried once; records that the run itself adds are not. A list of UUIDs is needed
  /// because the clock may be set back, so times do not show which records are older than the run.
  private var waiting: [UUID]?
  private var isOver = false
  /// The pause after failed retries and the time elapsed since it began, or `nil` if there is no pause.
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
  private var uploader: PageUploader { context.uploader }

  /// Reads the dead-letter list before the change log is sent, because sending may add records to it.
  mutating func prepare() async throws {
    guard !context.follows, waiting == nil else { return }
    waiting = try await ledger.refusedUUIDs(of: destination.id, at: now)
  }

  /// Retries the records that are due.
  ///
  /// - Parameters:
  ///   - cursors: For each type, the change log position up to which changes were sent.
  ///   - resets: The number of resets of the destination when these positions were read.
  /// - Returns: The delay until the next record is due, or `nil` if no record is to be retried.
  /// - Throws: The error of opening the external store again after a failed record; `HKError`.
  mutating func perform(upTo cursors: [String: ChangeLogCursor], resets: Int64) async throws -> Duration? {
    guard !isOver else { return nil }
    isOver = !context.follows
    if let rest, rest.elapsed() < rest.length { return rest.length - rest.elapsed() }
    rest = nil
    var failures = 0
    repeat {
      for (type, uuids) in Self.grouped(try await next()) {
        if let type = SampleTypes.type(type), let cursor = cursors[type.identifier] {
          let attempt = Attempt(type: type, cursor: cursor, resets: resets)
          guard try await upload(uuids, attempt, &failures) else { return nil }
        }
        if failures >= Self.mostFailures {
          rest = (context.clock.stopwatch(), .microseconds(pauses.first))
          return .microseconds(pauses.first)
        }
        // Also count the attempt for records that were not sent, such as a sample that may no longer be read.
        try await ledger.recordAttempt(of: uuids, of: destination.id, at: now)
      }
      // A run that continues until it is canceled retries a limited number of records at a time and sends new
      // changes in between.
    } while waiting?.isEmpty == false
    return context.follows ? try await pause() : nil
  }

  /// Returns the next records to retry.
  private mutating func next() async throws -> [DeadLetterRecord] {
    guard let all = waiting else {
      return try await ledger.dueDeadLetters(of: destination.id, times, limit: Self.recordsAtOnce)
    }
    waiting = Array(all.dropFirst(Self.recordsAtOnce))
    return try await ledger.deadLetters(of: destination.id, among: all.prefix(Self.recordsAtOnce))
  }

  /// Groups records by type, in the order of their first occurrence.
  private static func grouped(_ records: [DeadLetterRecord]) -> [(type: String, uuids: [UUID])] {
    let groups = Dictionary(grouping: records, by: \.type)
    var seen: Set<String> = []
    return records.map(\.type).filter { seen.insert($0).inserted }
      .map { ($0, groups[$0, default: []].map(\.uuid)) }
  }

  /// Returns the delay until the next record is due, or `nil` if the list is empty.
  private func pause() async throws -> Duration? {
    let times = times
    return try await ledger.nextDeadLetterDue(of: destination.id, times).map {
      .microseconds(max($0 - times.now, 0))
    }
  }

  private var times: RetryTimes {
    RetryTimes(now: now, first: pauses.first, longest: pauses.longest)
  }

  private var now: Int64 { Microseconds.clamped(Date()) }

  private struct Attempt {
    let type: HKSampleType
    let cursor: ChangeLogCursor
    let resets: Int64
  }

  /// Sends records of one type together. If that fails, sends them one by one to find the record that causes
  /// the error.
  ///
  /// - Returns: `false` if the destination was reset in the meantime.
  private func upload(
    _ uuids: [UUID], _ attempt: Attempt, _ failures: inout Int
  ) async throws -> Bool {
    let page = try await uploader.store.changePage(of: attempt.type, with: Set(uuids), upTo: attempt.cursor)
    guard page.count > 0 else { return true }
    let elapsed = context.clock.stopwatch()
    defer { context.progressStore.update { $0.timeCarrying += elapsed() } }
    let sent: PageUploader.Sent
    do {
      sent = try await uploader.upload(page, of: attempt.type, supersedes: true)
    } catch let failure as ExternalStoreError {
      if uuids.count == 1 {
        failures += 1
        for uuid in uuids {
          try await ledger.postpone(uuid, reason: failure.description, of: destination.id, at: now)
        }
      }
      // After an error, the state of the connection is unknown, so open a new one.
      await uploader.close()
      try await uploader.open()
      guard uuids.count > 1 else { return true }
      for uuid in uuids where failures < Self.mostFailures {
        guard try await upload([uuid], attempt, &failures) else { return false }
      }
      return true
    }
    return try await context.save(sent, nil, resets: attempt.resets)
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    // Limit the delay to 3 billion seconds (95 years), so that the multiplication cannot overflow.
    return min(max(seconds, 0), 3_000_000_000) * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
