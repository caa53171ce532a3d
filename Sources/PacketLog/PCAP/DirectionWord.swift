internal import Bluetooth

/// The 4 bytes before each packet of link type 201 that state its direction.
///
/// Most capture programs set the lowest bit for packets from the controller. The registry's text says the
/// opposite, and some programs follow it. The direction of commands and events is known from their type, so
/// they reveal which meaning this log uses.
struct DirectionWord {
  static let length = 4
  /// Limit of the counter that compares how many packets fit each meaning of the bit. It is more than 1, so
  /// that a single wrong bit does not change the result.
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
