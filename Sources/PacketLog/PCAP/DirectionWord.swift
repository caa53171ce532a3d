internal import Bluetooth

/// The word before each packet of link type 201.
///
/// Capture programs set its lowest bit on packets from the controller; the registry's text says the opposite,
/// and some writers follow it. Commands and events go one way only, so they vote on what the bit means in
/// this log.
struct DirectionWord {
  static let length = 4
  /// So many votes of one kind that later ones do not matter; a stray bit must not turn the meaning over.
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
