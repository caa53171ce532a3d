package import HealthSystem

/// The actions on monitors that need Bluetooth: scan, pair and forget. The program that serves the page
/// implements them, because the page has no D-Bus or Bluetooth code.
///
/// Each action throws ``RadioError``, and ends when its task is canceled.
package struct PageRadio: Sendable {
  /// The store that an action applies to.
  package struct Target: Sendable {
    package let store: SystemStore
    /// The person named in the request; `nil` for the store that the page was started for.
    package let person: String?
  }

  /// Scans for a limited time. Reports the monitors found so far a few times a second, strongest signal
  /// first.
  package var hear:
    @Sendable (Target, _ report: @escaping @Sendable ([HeardMonitor]) -> Void) async throws -> Void
  /// Pairs with a monitor, reads its device information, and enrolls it.
  package var enrol: @Sendable (Target, EnrolmentRequest, PairingCallbacks) async throws -> KnownMonitor
  /// Forgets an enrolled monitor, and removes its bond unless another person uses it.
  package var forget:
    @Sendable (Target, _ address: String, _ report: @escaping @Sendable (String) -> Void)
      async throws -> Void

  package init(
    hear:
      @escaping @Sendable (Target, _ report: @escaping @Sendable ([HeardMonitor]) -> Void) async throws ->
      Void,
    enrol: @escaping @Sendable (Target, EnrolmentRequest, PairingCallbacks) async throws -> KnownMonitor,
    forget:
      @escaping @Sendable (
        Target, _ address: String, _ report: @escaping @Sendable (String) -> Void
      ) async throws -> Void
  ) {
    (self.hear, self.enrol, self.forget) = (hear, enrol, forget)
  }
}

/// The error that ended an action, with a sentence for the user.
package struct RadioError: Error, Sendable {
  package let sentence: String

  package init(_ sentence: String) { self.sentence = sentence }
}

/// A monitor that a scan found, or that is bonded or connected.
package struct HeardMonitor: Codable, Sendable, Hashable {
  package var address: String
  /// The name that the device reports.
  package var name: String?
  /// The signal strength in dBm.
  package var rssi: Int?
  /// Whether the monitor is enrolled in this store.
  package var isEnrolled: Bool
  package var isPaired: Bool
  /// Whether its address is a private Bluetooth address, which changes from time to time.
  package var isPrivate: Bool

  package init(
    address: String, name: String?, rssi: Int?, isEnrolled: Bool, isPaired: Bool, isPrivate: Bool
  ) {
    (self.address, self.name, self.rssi) = (address, name, rssi)
    (self.isEnrolled, self.isPaired, self.isPrivate) = (isEnrolled, isPaired, isPrivate)
  }
}

/// The monitor to enroll, and whether to bond with it.
package struct EnrolmentRequest: Sendable, Hashable {
  /// The address or the name of the monitor.
  package let monitor: String
  /// Whether to create a bond if the monitor supports it.
  package let bonds: Bool
}

package struct KnownMonitor: Codable, Sendable, Hashable {
  package var address: String
  package var name: String?
  /// The person who wears the monitor; absent for the account owner.
  package var person: String?

  package init(address: String, name: String?, person: String?) {
    (self.address, self.name, self.person) = (address, name, person)
  }
}

/// Callbacks that are used while a monitor is being paired.
package struct PairingCallbacks: Sendable {
  /// Asks the user for the six digits that the monitor shows. `nil` means that the user refuses.
  package let passkey: @Sendable () async -> UInt32?
  /// Asks the user whether the monitor shows these digits.
  package let isSame: @Sendable (_ passkey: UInt32) async -> Bool
  /// Shows digits that the user has to enter on the monitor.
  package let show: @Sendable (_ passkey: UInt32) -> Void
  /// Reports progress as a sentence.
  package let report: @Sendable (String) -> Void
}
