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
  /// type may go to several. Several of one class need a name each: add them with
  /// `addObjectTypes(_:externalStore:named:)`, or give them a `storeIdentity`. Without, the first is served
  /// as the only one would be, and the later ones get nothing (`HDSError.ambiguousExternalStore`).
  func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol)

  /// An observer for each of the synchronisers that has none yet.
  func addSynchronizers(_ synchronizers: [any HDSObjectSynchronizerProtocol])

  func startObserving()

  /// The observers forget how far they were.
  func stopObserving()

  /// Finds the sources of each observer's type. All types are queried at once.
  /// - Parameter completion: called once, on a background queue, after every query has returned. The array of
  ///   errors is empty if there were none; it is never nil.
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

  /// Under a name that tells the external store from others of its class, whatever their order: the same in
  /// each run of the program. One that is given later begins anew. (Not in the original library.)
  public func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol,
    named name: String
  ) {
    addObjectTypes(
      objectTypes, externalStore: HDSNamedExternalStore(store: externalStore, storeIdentity: name))
  }
}
