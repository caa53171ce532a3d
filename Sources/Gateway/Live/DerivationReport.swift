import HealthSystem

/// What became of the figures that the gateway derives from what is stored.
public struct DerivationReport: Sendable {
  /// New ones.
  public var written: Int
  /// Others in the place of those that were there.
  public var replaced: Int
  /// Deleted, because what they were of is there no more.
  public var withdrawn: Int
  /// Why none could be derived; `nil` if they could.
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
