public import Foundation

/// Why a synchronisation did not take place.
public enum HDSError: Error, Hashable {
  /// There is no health data here.
  case unavailable
  /// Nothing says which types it is about.
  case noSpecifiedTypes
  case notSupported
  /// The delegate did not let it begin.
  case operationCancelled
  /// An external store of this class was added before that takes the same objects, and nothing but their
  /// order tells which is which: this one gets nothing. (Not in the original library.)
  case ambiguousExternalStore(String)
}

extension HDSError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .unavailable: "there is no health data here"
    case .noSpecifiedTypes: "nothing says which types are synchronised: give the object types"
    case .notSupported: "this is not supported"
    case .operationCancelled: "the delegate did not let the synchronisation begin"
    case .ambiguousExternalStore(let name):
      "another external store of the class \(name) was added before, and the next run could not tell the two apart: give each a storeIdentity, or add it with addObjectTypes(_:externalStore:named:)"
    }
  }
}
