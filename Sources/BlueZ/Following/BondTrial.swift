/// Counts signs that the bond with a monitor is lost.
///
/// A link that ends early is no such sign: an encrypted link may end as early as one that could not be
/// encrypted, and bluetoothd 5.66 reports the same for both. The reply to our Connect is a sign if there is a
/// bond and a link was made: Connect succeeds once the link is encrypted, and fails if it cannot be, even if
/// the link ends at once. Without a link the failure shows nothing, because bluetoothd reports it like any
/// other.
struct BondTrial: Hashable {
  /// Consecutive Connects that failed because the link was not encrypted.
  private(set) var refusals = 0
  private var latest: BootTime?

  /// Counts a link that could not be encrypted.
  ///
  /// - Parameter longest: Refusals that are further apart than this are not counted together.
  mutating func refuse(at now: BootTime, within longest: Duration) {
    let continues = latest.map { now - $0 <= longest } ?? false
    refusals = continues ? refusals + 1 : 1
    latest = now
  }

  /// Resets the count: a link was encrypted, or the monitor is away, which shows nothing about the bond.
  mutating func dismiss() { self = BondTrial() }
}
