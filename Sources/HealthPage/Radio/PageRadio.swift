package import HealthSystem

/// What can be done with monitors: hearing which are near, making one known, forgetting one. Who does it is
/// the business of whoever serves the page, which knows no bus and no radio.
///
/// What goes wrong is thrown as a ``RadioFailure``; a cancelled task ends each of them.
package struct PageRadio: Sendable {
  /// In whose store something is done.
  package struct Place: Sendable {
    package let store: SystemStore
    /// Who was named: of the people of the page; `nil` where nobody was, and it is the page's own store.
    package let person: String?
  }

  /// Listens, and tells a few times a second what was heard so far, the strongest first. It ends by itself.
  package var hear:
    @Sendable (Place, _ tell: @escaping @Sendable ([HeardMonitor]) -> Void) async throws -> Void
  /// Pairs with a monitor, reads what it says of itself, and keeps it.
  package var enrol: @Sendable (Place, EnrolmentWish, PairingTalk) async throws -> KnownMonitor
  /// Forgets a monitor that is known, and its bond unless somebody else follows it.
  package var forget:
    @Sendable (Place, _ address: String, _ tell: @escaping @Sendable (String) -> Void)
      async throws -> Void

  package init(
    hear:
      @escaping @Sendable (Place, _ tell: @escaping @Sendable ([HeardMonitor]) -> Void) async throws ->
      Void,
    enrol: @escaping @Sendable (Place, EnrolmentWish, PairingTalk) async throws -> KnownMonitor,
    forget:
      @escaping @Sendable (
        Place, _ address: String, _ tell: @escaping @Sendable (String) -> Void
      ) async throws -> Void
  ) {
    (self.hear, self.enrol, self.forget) = (hear, enrol, forget)
  }
}

/// Why something could not be done, as a sentence for people.
package struct RadioFailure: Error, Sendable {
  package let sentence: String

  package init(_ sentence: String) { self.sentence = sentence }
}

/// A monitor in the air, or one that is remembered and connected.
package struct HeardMonitor: Codable, Sendable, Hashable {
  package var address: String
  /// As it calls itself.
  package var name: String?
  /// dBm.
  package var rssi: Int?
  /// It is known in this store.
  package var isEnrolled: Bool
  package var isPaired: Bool
  /// Its address changes by itself.
  package var isPrivate: Bool

  package init(
    address: String, name: String?, rssi: Int?, isEnrolled: Bool, isPaired: Bool, isPrivate: Bool
  ) {
    (self.address, self.name, self.rssi) = (address, name, rssi)
    (self.isEnrolled, self.isPaired, self.isPrivate) = (isEnrolled, isPaired, isPrivate)
  }
}

/// Which monitor is to be known, and how.
package struct EnrolmentWish: Sendable, Hashable {
  /// Its address, or its name.
  package let monitor: String
  /// Whether a bond is made, where the monitor can.
  package let bonds: Bool
}

package struct KnownMonitor: Codable, Sendable, Hashable {
  package var address: String
  package var name: String?
  /// Whose it is; absent for the owner's.
  package var person: String?

  package init(address: String, name: String?, person: String?) {
    (self.address, self.name, self.person) = (address, name, person)
  }
}

/// What is said while a monitor is paired.
package struct PairingTalk: Sendable {
  /// The six digits that the monitor shows; `nil` to refuse.
  package let passkey: @Sendable () async -> UInt32?
  /// Whether the monitor shows the same.
  package let isSame: @Sendable (_ passkey: UInt32) async -> Bool
  /// They are to be entered at the monitor.
  package let show: @Sendable (_ passkey: UInt32) -> Void
  /// What is done now, or is to be known, as a sentence.
  package let tell: @Sendable (String) -> Void
}
