import HealthSystem

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
