import Foundation

/// Why a gateway does not open a store.
package struct StoreRefusal: LocalizedError, Hashable {
  /// With what to do about it.
  package var reason: String
  /// Whether it stays so until somebody does that: to try again is of no use.
  package var lasts: Bool

  package var errorDescription: String? { reason }
}
