import Synchronization

/// The liveness checks of several gateways, each of which may hang on its own.
///
/// A gateway that hangs is reported and does not end the others. A check counts as work only if the gateway
/// has monitors: otherwise an owner without monitors would keep the watchdog quiet while all other gateways
/// hang.
final class LivenessProbes: Sendable {
  /// A gateway that takes part.
  struct Member: Sendable {
    /// The person whose store it is; `nil` for the owner.
    var person: String?
    /// Whether monitors are followed for this store, as far as is known.
    var hasMonitors: @Sendable () -> Bool
    /// The progress of the check that is running.
    var place: @Sendable () -> LivenessProbe.Place?
    /// Runs one check. Does not return if it hangs.
    /// - Returns: Whether there was anything to check.
    var take: @Sendable () async -> Bool
  }

  private struct Client {
    var member: Member
    var isUnderWay = false
    /// The number of completed steps at the last round.
    var done = 0
    /// The part that hangs, as last reported.
    var hanging: GatewayPart?
  }

  private struct State {
    var last = 0
    var clients: [Int: Client] = [:]
    /// Whether the bus hangs. All gateways share it, so it is reported once.
    var isBusHanging = false
  }

  private let state = Mutex(State())
  private let tell: @Sendable (_ person: String?, _ part: GatewayPart, _ isHanging: Bool) -> Void

  /// - Parameter tell: Called if a step of a check is still running at the next round, and again when it
  ///   ends. `person` is `nil` for the bus. It runs inside the lock, so that the reports are in order: it
  ///   must neither block nor call this object.
  init(tell: @escaping @Sendable (String?, GatewayPart, Bool) -> Void) { self.tell = tell }

  /// - Returns: The member's number, for ``leave(_:)``.
  func join(_ member: Member) -> Int {
    state.withLock { state in
      state.last += 1
      state.clients[state.last] = Client(member: member)
      return state.last
    }
  }

  func leave(_ number: Int) {
    state.withLock { state in
      note(nil, number, &state)
      state.clients[number] = nil
    }
  }

  /// Starts a check of each member whose previous check has ended.
  ///
  /// - Parameter worked: Called for each check that did something, possibly much later.
  func begin(worked: @escaping @Sendable () -> Void) {
    let ready = state.withLock { state in
      var ready: [(Int, Member)] = []
      for (number, client) in state.clients.sorted(by: { $0.key < $1.key }) {
        if client.isUnderWay {
          look(at: number, &state)
        } else {
          ready.append((number, client.member))
          state.clients[number]?.isUnderWay = true
          state.clients[number]?.done = 0
        }
      }
      return ready
    }
    // Not child tasks: one that hangs would keep this round from ending.
    for (number, member) in ready { Task { await take(member, number, worked) } }
  }

  /// Looks at a check that has not ended since the last round. The member hangs if it is still at the same
  /// step.
  private func look(at number: Int, _ state: inout State) {
    guard let client = state.clients[number], let place = client.member.place() else { return }
    note(place.done == client.done ? place.part : nil, number, &state)
    state.clients[number]?.done = place.done
  }

  private func take(_ member: Member, _ number: Int, _ worked: @Sendable () -> Void) async {
    let hasTaken = await member.take()
    let counts = state.withLock { state in
      note(nil, number, &state)
      state.clients[number]?.isUnderWay = false
      let isIdle = !member.hasMonitors() && state.clients.values.contains { $0.member.hasMonitors() }
      return hasTaken && !isIdle
    }
    if counts { worked() }
  }

  /// Reports a change of what hangs.
  private func note(_ part: GatewayPart?, _ number: Int, _ state: inout State) {
    guard let client = state.clients[number], client.hanging != part else { return }
    state.clients[number]?.hanging = part
    if client.hanging == .store { tell(client.member.person, .store, false) }
    if part == .store { tell(client.member.person, .store, true) }
    let isBusHanging = state.clients.values.contains { $0.hanging == .bus }
    guard isBusHanging != state.isBusHanging else { return }
    state.isBusHanging = isBusHanging
    tell(nil, .bus, isBusHanging)
  }
}
