import Foundation
import HealthStorage
import HealthSystem
public import Ingestion

/// The result of an attempt to commit, and the counts of the run.
public struct CommitReport: Sendable {
  /// The counts so far. `measurements` includes each measurement as soon as it is received; the other counts
  /// include it only after it was stored or rejected.
  public var tally: IngestionTally
  /// The number of samples and gaps not yet committed.
  public var heldBack: Int
  /// The error of the commit; `nil` if it succeeded.
  public var failure: (any Error)?
  /// The gaps that this commit stored, changed or ended.
  public var gaps: [MonitorGap] = []
  /// The periods in which the wall clock was wrong, if this commit stored new ones because the clock was set.
  public var clockErrors: [ClockError] = []
  /// The error of storing a change of the wall clock, although the measurements were stored. Set only in the
  /// report after the first attempt. Each later commit tries again; ``IngestionTally/refusedClockChanges``
  /// counts the changes that are not stored.
  public var clockRefusal: (any Error)?
  /// Whether the store is locked, so that measurements are recorded in its inbox.
  public var isSealing = false
  /// The errors found in the inbox, as sentences. Contains no health data.
  public var inboxNotices: [String] = []
}

/// The result of computing samples, such as the resting heart rate, from stored samples.
public struct DerivationReport: Sendable {
  /// The number of new computed samples.
  public var written: Int
  /// The number of computed samples that replaced older ones.
  public var replaced: Int
  /// The number of computed samples that were deleted, because the samples behind them are gone.
  public var withdrawn: Int
  /// The error of the computation; `nil` if it succeeded.
  public var failure: (any Error)?

  public init(written: Int = 0, replaced: Int = 0, withdrawn: Int = 0, failure: (any Error)? = nil) {
    self.written = written
    self.replaced = replaced
    self.withdrawn = withdrawn
    self.failure = failure
  }

  init(_ report: DerivationRun.Report) {
    switch report {
    case .derived(let tally):
      self.init(written: tally.written, replaced: tally.replaced, withdrawn: tally.withdrawn)
    case .failed(let error): self.init(failure: error)
    }
  }
}

/// The result of compacting old samples into hourly segments.
public struct CondensingReport: Sendable {
  /// The number of samples that were compacted.
  public var packed: Int
  /// The number of hours whose samples could not be compacted. An hour counts once for each affected sample
  /// type.
  public var left: Int
  /// The last hour that could not be compacted, and the reason. Does not contain health data.
  public var reason: String?
  /// The error that prevented compaction; `nil` if there was none.
  public var failure: (any Error)?

  public init(packed: Int = 0, left: Int = 0, reason: String? = nil, failure: (any Error)? = nil) {
    self.packed = packed
    self.left = left
    self.reason = reason
    self.failure = failure
  }

  /// The reason why old samples could not be compacted, as a sentence; `nil` without an error.
  public var failureDescription: String? {
    if let failure { return failure.localizedDescription }
    guard left > 0 else { return nil }
    let count = left == 1 ? "1 hour" : "\(left) hours"
    return "\(count) could not be compressed\(reason.map { "; the last one: \($0)" } ?? "")"
  }

  init(_ report: CompactionRun.Report) {
    switch report {
    case .condensed(let tally): self.init(packed: tally.rows, left: tally.left, reason: tally.reason)
    case .failed(let error): self.init(failure: error)
    }
  }
}
