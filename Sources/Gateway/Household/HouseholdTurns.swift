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
    /// Where the turn is that is under way.
    var place: @Sendable () -> GatewayTurns.Place?
    /// Does something. Where it hangs, it does not return.
    /// - Returns: Whether there was anything that could.
    var take: @Sendable () async -> Bool
  }

  private struct Seat {
    var member: Member
    var isUnderWay = false
    /// How many steps of the turn were done at the last round.
    var done = 0
    /// What hangs, as it was told.
    var hanging: GatewayPart?
  }

  private struct State {
    var last = 0
    var seats: [Int: Seat] = [:]
    /// The bus is one for all, and told of once.
    var isBusHanging = false
  }

  private let state = Mutex(State())
  private let tell: @Sendable (_ person: String?, _ part: GatewayPart, _ isHanging: Bool) -> Void

  /// - Parameter tell: Called where a step of somebody's turn has taken from one round to the next, and when
  ///   it has ended after all; `nil` for everybody's. In a lock, so that news come in the order of what
  ///   happened: it must neither wait nor ask for turns.
  init(tell: @escaping @Sendable (String?, GatewayPart, Bool) -> Void) { self.tell = tell }

  /// - Returns: By what ``leave(_:)`` knows the member.
  func join(_ member: Member) -> Int {
    state.withLock { state in
      state.last += 1
      state.seats[state.last] = Seat(member: member)
      return state.last
    }
  }

  func leave(_ number: Int) {
    state.withLock { state in
      note(nil, number, &state)
      state.seats[number] = nil
    }
  }

  /// Has everybody take a turn who is not in one.
  ///
  /// - Parameter worked: Called, perhaps much later, for each turn in which something was done.
  func begin(worked: @escaping @Sendable () -> Void) {
    let ready = state.withLock { state in
      var ready: [(Int, Member)] = []
      for (number, seat) in state.seats.sorted(by: { $0.key < $1.key }) {
        if seat.isUnderWay {
          look(at: number, &state)
        } else {
          ready.append((number, seat.member))
          state.seats[number]?.isUnderWay = true
          state.seats[number]?.done = 0
        }
      }
      return ready
    }
    // Not children of whoever asks: one that hangs would keep the round from its end.
    for (number, member) in ready { Task { await take(member, number, worked) } }
  }

  /// Somebody's turn has not ended since the last round: hangs who is still at the same step.
  private func look(at number: Int, _ state: inout State) {
    guard let seat = state.seats[number], let place = seat.member.place() else { return }
    note(place.done == seat.done ? place.part : nil, number, &state)
    state.seats[number]?.done = place.done
  }

  private func take(_ member: Member, _ number: Int, _ worked: @Sendable () -> Void) async {
    let hasTaken = await member.take()
    let counts = state.withLock { state in
      note(nil, number, &state)
      state.seats[number]?.isUnderWay = false
      let isIdle = !member.hasMonitors() && state.seats.values.contains { $0.member.hasMonitors() }
      return hasTaken && !isIdle
    }
    if counts { worked() }
  }

  /// Tells what is news about somebody.
  private func note(_ part: GatewayPart?, _ number: Int, _ state: inout State) {
    guard let seat = state.seats[number], seat.hanging != part else { return }
    state.seats[number]?.hanging = part
    if seat.hanging == .store { tell(seat.member.person, .store, false) }
    if part == .store { tell(seat.member.person, .store, true) }
    let isBusHanging = state.seats.values.contains { $0.hanging == .bus }
    guard isBusHanging != state.isBusHanging else { return }
    state.isBusHanging = isBusHanging
    tell(nil, .bus, isBusHanging)
  }
}
