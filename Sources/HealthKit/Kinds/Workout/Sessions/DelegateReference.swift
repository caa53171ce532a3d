/// A delegate, held weakly.
///
/// As Apple's, the protocols of delegates do not demand that an implementation is Sendable: a view model that
/// is none may be one. What it is told comes from one queue, one thing after the other; what else it shares
/// with that queue is its own to guard, as it is with Apple's framework.
// @unchecked: for that reason.
struct DelegateReference<Delegate>: @unchecked Sendable {
  private weak var object: AnyObject?

  /// - Parameter delegate: an object. (An existential of a class-bound protocol is no `AnyObject` to Swift.)
  init(_ delegate: Delegate?) {
    object = delegate.map { $0 as AnyObject }
  }

  /// nil once the program has let it go.
  var delegate: Delegate? { object as? Delegate }
}
