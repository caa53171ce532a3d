internal import Bluetooth

/// The direction word before each packet of link type 201.
///
/// Capture programs set its lowest bit for packets from the controller. The registry's text says the
/// opposite, and some writers follow it. Commands and events have only one direction, so they show the bit's
/// meaning in this log.
struct DirectionWord {
  static let length = 4
  /// Maximum lead of one meaning. Beyond it, further packets do not count. A wrong bit must not change the
  /// meaning.
  private static let certainty = 8

  private var votesForPractice = 0

  mutating func direction(_ word: UInt32, of type: HCIPacketType) -> HCIDirection {
    let isBitSet = word & 1 == 1
    if let known = type.onlyDirection {
      vote(forPractice: isBitSet == (known == .controllerToHost))
      return known
    }
    let isFromController = isBitSet == (votesForPractice >= 0)
    return isFromController ? .controllerToHost : .hostToController
  }

  private mutating func vote(forPractice: Bool) {
    let votes = votesForPractice + (forPractice ? 1 : -1)
    votesForPractice = min(max(votes, -Self.certainty), Self.certainty)
  }
}
