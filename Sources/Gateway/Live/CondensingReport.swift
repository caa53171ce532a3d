import Foundation
import HealthStorage

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
