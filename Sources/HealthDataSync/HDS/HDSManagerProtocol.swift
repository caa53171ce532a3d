public import HealthKit

/// The observers of a program.
public protocol HDSManagerProtocol {
  /// In the order in which they were added.
  var allObservers: [HDSQueryObserver] { get }
  /// Of all observers.
  var observerDelegate: (any HDSQueryObserverDelegate)? { get set }
  /// Of all observers.
  var converter: (any HDSConverterProtocol)? { get set }

  /// Asks the user about the types of all observers.
  @preconcurrency
  func requestPermissionsForAllObservers(
    completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void)

  /// Asks the user about the types of some observers, which need not be among this manager's.
  @preconcurrency
  func requestPermissions(
    with observers: [HDSQueryObserver],
    _ completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void)

  /// An observer for each of the types. What goes to the same external store already stays as it is; the same
  /// type may go to several.
  func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol)

  /// An observer for each of the synchronisers that has none yet.
  func addSynchronizers(_ synchronizers: [any HDSObjectSynchronizerProtocol])

  func startObserving()

  /// The observers forget how far they were.
  func stopObserving()

  /// The sources of each observer's type.
  /// - Parameter completion: called once, on a background queue. The errors are nil where there were none.
  @preconcurrency
  func sources(
    for observers: [HDSQueryObserver],
    completion: @escaping @Sendable ([HDSQueryObserver: Set<HKSource>], [any Error]?) -> Void)
}

extension HDSManagerProtocol {
  /// As with an array of the one type: the original library's guide has it so.
  public func addObjectTypes(
    _ objectType: any HDSExternalObjectProtocol.Type, externalStore: any HDSExternalStoreProtocol
  ) {
    addObjectTypes([objectType], externalStore: externalStore)
  }
}
