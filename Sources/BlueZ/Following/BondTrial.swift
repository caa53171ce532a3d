/// What speaks for and against the bond with a monitor.
///
/// That a link ends soon says nothing of it: a link that was encrypted may end as soon as one that could not
/// be, and bluetoothd 5.66 tells neither. Our Connect does tell, where there is a bond and a link came about:
/// it is answered with success once the link is encrypted, and with a failure where it cannot be, however
/// soon the link ends. Where no link came about, that failure says nothing: bluetoothd names it like any
/// other.
struct BondTrial: Hashable {
  /// Our Connects in a row that were refused for want of encryption.
  private(set) var refusals = 0
  private var latest: BootTime?

  /// A link could not be encrypted.
  ///
  /// - Parameter longest: Refusals further apart have nothing to do with each other.
  mutating func refuse(at now: BootTime, within longest: Duration) {
    let continues = latest.map { now - $0 <= longest } ?? false
    refusals = continues ? refusals + 1 : 1
    latest = now
  }

  /// A link was encrypted; or the monitor is away, which says nothing for the bond nor against it.
  mutating func dismiss() { self = BondTrial() }
}
