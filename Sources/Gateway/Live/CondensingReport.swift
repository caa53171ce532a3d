import Foundation
import HealthStorage

/// What became of old samples that the gateway was to pack.
public struct CondensingReport: Sendable {
  /// Samples that are packed now.
  public var packed: Int
  /// Hours of one kind of samples that stay as they were because they could not be packed.
  public var left: Int
  /// Of the last of those: which it is, and why. Nothing in it was measured.
  public var reason: String?
  /// Why nothing could be packed; `nil` if it could.
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
    let count = left == 1 ? "1 hour stays" : "\(left) hours stay"
    return "\(count) as before\(reason.map { ", the last of them \($0)" } ?? "")"
  }

  init(_ news: CondensingRun.News) {
    switch news {
    case .condensed(let tally): self.init(packed: tally.rows, left: tally.left, reason: tally.reason)
    case .failed(let error): self.init(failure: error)
    }
  }
}
