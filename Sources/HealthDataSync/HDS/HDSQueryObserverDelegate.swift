/// Decides how an observer works, and hears of it.
public protocol HDSQueryObserverDelegate: AnyObject {
  /// How many changes are synchronised at once; nil for 25. It goes on until there are no more.
  func batchSize(for observer: HDSQueryObserver) -> Int?

  /// Asked before each round.
  /// - Parameter completion: to be called once, with whether it may begin.
  @preconcurrency
  func shouldExecute(for observer: HDSQueryObserver, completion: @escaping @Sendable (Bool) -> Void)

  /// After each round that began, once.
  func didFinishExecution(for observer: HDSQueryObserver, error: (any Error)?)
}

extension HDSQueryObserverDelegate {
  public func batchSize(for observer: HDSQueryObserver) -> Int? { Constants.defaultBatchSize }

  @preconcurrency
  public func shouldExecute(
    for observer: HDSQueryObserver, completion: @escaping @Sendable (Bool) -> Void
  ) {
    completion(true)
  }

  public func didFinishExecution(for observer: HDSQueryObserver, error: (any Error)?) {}
}
