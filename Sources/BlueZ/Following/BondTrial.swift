/// What speaks for and against the bond with a monitor.
///
/// That a link ends soon says nothing of it: a link that was encrypted may end as soon as one that could not
/// be, and bluetoothd 5.66 tells neither. Our Connect does tell, where there is a bond: it is answered with
/// success once the link is encrypted, and with a failure where it cannot be, however soon the link ends.
struct BondTrial: Hashable {
  /// Our Connects in a row that were refused for want of encryption.
  private(set) var refusals = 0

  /// A link could not be encrypted.
  mutating func refuse() { refusals += 1 }

  /// A link was encrypted; or the monitor is away, which says nothing for the bond nor against it.
  mutating func dismiss() { refusals = 0 }
}
