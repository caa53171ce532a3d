import Synchronization

/// The turns of those who belong to a household, each of whom may hang alone.
///
/// Whoever hangs is told of, and is no reason to end the others' work. What counts as work is a turn of
/// somebody who has monitors: an owner without any is done at once, whatever becomes of everybody's
/// heartbeats.
final class HouseholdTurns: Sendable {
  /// One of them.
  struct Member: Sendable {
    /// Whose store it is; `nil` for the owner's.
    var person: String?
    /// Whether anybody's monitors are followed there, as far as is known.
    var hasMonitors: @Sendable () -> Bool
    /// Does something. Where it hangs, it does not return.
    /// - Returns: Whether there was anything that could.
    var take: @Sendable () async -> Bool
  }

  private struct Seat {
    var member: Member
    var isUnderWay = false
    var isHanging = false
  }

  private let seats = Mutex<(last: Int, taken: [Int: Seat])>((0, [:]))
  /// Called where somebody's turn has taken from one round to the next, and when it has ended after all.
  private let tell: @Sendable (_ person: String?, _ isHanging: Bool) -> Void

  init(tell: @escaping @Sendable (String?, Bool) -> Void) { self.tell = tell }

  /// - Returns: By what ``leave(_:)`` knows the member.
  func join(_ member: Member) -> Int {
    seats.withLock { seats in
      seats.last += 1
      seats.taken[seats.last] = Seat(member: member)
      return seats.last
    }
  }

  func leave(_ number: Int) {
    let seat = seats.withLock { $0.taken.removeValue(forKey: number) }
    if let seat, seat.isHanging { tell(seat.member.person, false) }
  }

  /// Has everybody take a turn who is not in one.
  ///
  /// - Parameter worked: Called, perhaps much later, for each turn in which something was done.
  func begin(worked: @escaping @Sendable () -> Void) {
    let (ready, late) = seats.withLock { seats in
      var ready: [(Int, Member)] = []
      var late: [Member] = []
      for (number, seat) in seats.taken {
        if !seat.isUnderWay {
          ready.append((number, seat.member))
          seats.taken[number]?.isUnderWay = true
        } else if !seat.isHanging {
          late.append(seat.member)
          seats.taken[number]?.isHanging = true
        }
      }
      return (ready, late)
    }
    for member in late { tell(member.person, true) }
    // Not children of whoever asks: one that hangs would keep the round from its end.
    for (number, member) in ready { Task { await take(member, number, worked) } }
  }

  private func take(_ member: Member, _ number: Int, _ worked: @Sendable () -> Void) async {
    let hasTaken = await member.take()
    let (wasHanging, counts) = seats.withLock { seats in
      let wasHanging = seats.taken[number]?.isHanging ?? false
      seats.taken[number]?.isUnderWay = false
      seats.taken[number]?.isHanging = false
      let isIdle = !member.hasMonitors() && seats.taken.values.contains { $0.member.hasMonitors() }
      return (wasHanging, hasTaken && !isIdle)
    }
    if wasHanging { tell(member.person, false) }
    if counts { worked() }
  }
}
