import Foundation
import HealthStorage
import HealthSystem
public import Ingestion

/// The state of a live run after an attempt to commit.
public struct CommitReport: Sendable {
  /// The counts so far. A measurement that is held back counts in `measurements` at once, and elsewhere
  /// only after it was stored or rejected.
  public var tally: IngestionTally
  /// The number of samples and gaps that are not committed yet.
  public var heldBack: Int
  /// The error of the store; `nil` if the commit succeeded.
  public var failure: (any Error)?
  /// The gaps that this commit created, changed or ended, in their current form.
  public var gaps: [MonitorGap] = []
  /// The errors of the wall clock that this commit has recorded, after the clock was set back.
  public var clockErrors: [ClockError] = []
  /// The error of recording a clock change, while the store accepts measurements. Set once, in the report
  /// after the first attempt. Each later commit tries again; ``IngestionTally/refusedClockChanges`` counts
  /// the pending ones.
  public var clockRefusal: (any Error)?
}

/// The result of deriving samples from stored samples.
public struct DerivationReport: Sendable {
  /// The number of new derived samples.
  public var written: Int
  /// The number of derived samples that replaced older ones.
  public var replaced: Int
  /// The number of derived samples that were deleted because their source samples are gone.
  public var withdrawn: Int
  /// The error that kept samples from being derived; `nil` if there was none.
  public var failure: (any Error)?

  public init(written: Int = 0, replaced: Int = 0, withdrawn: Int = 0, failure: (any Error)? = nil) {
    self.written = written
    self.replaced = replaced
    self.withdrawn = withdrawn
    self.failure = failure
  }

  init(_ news: DerivationRun.News) {
    switch news {
    case .derived(let tally):
      self.init(written: tally.written, replaced: tally.replaced, withdrawn: tally.withdrawn)
    case .failed(let error): self.init(failure: error)
    }
  }
}

/// The result of compacting old samples.
public struct CondensingReport: Sendable {
  /// The number of samples that were compacted.
  public var packed: Int
  /// The number of hours (of one sample type each) that could not be compacted and were left as they are.
  public var left: Int
  /// The last of those hours and the reason. Contains no health data.
  public var reason: String?
  /// The error that kept everything from being compacted; `nil` if there was none.
  public var failure: (any Error)?

  public init(packed: Int = 0, left: Int = 0, reason: String? = nil, failure: (any Error)? = nil) {
    self.packed = packed
    self.left = left
    self.reason = reason
    self.failure = failure
  }

  /// Why old samples cannot be compacted, as a sentence; `nil` if they can.
  public var failureDescription: String? {
    if let failure { return failure.localizedDescription }
    guard left > 0 else { return nil }
    let count = left == 1 ? "1 hour" : "\(left) hours"
    return "\(count) could not be compacted\(reason.map { "; the last one: \($0)" } ?? "")"
  }

  init(_ news: CondensingRun.News) {
    switch news {
    case .condensed(let tally): self.init(packed: tally.rows, left: tally.left, reason: tally.reason)
    case .failed(let error): self.init(failure: error)
    }
  }
}
