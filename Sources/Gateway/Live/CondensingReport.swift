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

  init(_ news: CondensingRun.News) {
    switch news {
    case .condensed(let tally): self.init(packed: tally.rows, left: tally.left, reason: tally.reason)
    case .failed(let error): self.init(failure: error)
    }
  }
}
