import Synchronization

/// The liveness checks of the gateways of several people. Each gateway may hang on its own.
///
/// A gateway that hangs is reported, and the others continue. Only gateways with monitors count for the
/// watchdog; otherwise an idle gateway would satisfy it while all others hang.
final class LivenessProbes: Sendable {
  /// A gateway that is checked.
  struct Member: Sendable {
    /// The person to whom the store belongs; `nil` for the user of this account.
    var person: String?
    /// Returns whether the gateway has monitors to follow; `false` also until it has read the list.
    var hasMonitors: @Sendable () -> Bool
    /// The progress of the current check; `nil` if no check is running.
    var progress: @Sendable () -> LivenessProbe.Progress?
    /// Runs one check. Does not return if the gateway hangs.
    /// - Returns: Whether there was something to check.
    var take: @Sendable () async -> Bool
  }

  private struct Client {
    var member: Member
    var isUnderWay = false
    /// The number of parts that had been checked at the start of the last round.
    var done = 0
    /// The part that was last reported as hanging.
    var hanging: GatewayPart?
  }

  private struct State {
    var last = 0
    var clients: [Int: Client] = [:]
    /// Whether the bus was reported as hanging. All gateways share it, so it is reported only once.
    var isBusHanging = false
  }

  private let state = Mutex(State())
  private let report: @Sendable (_ person: String?, _ part: GatewayPart, _ isHanging: Bool) -> Void

  /// - Parameter report: Called when a part is still being checked at the start of the next round, and again
  ///   when its check ends. `person` is `nil` for the bus. It is called while a lock is held, so it must
  ///   neither block nor call this object.
  init(report: @escaping @Sendable (String?, GatewayPart, Bool) -> Void) { self.report = report }

  /// Adds a gateway to the checks.
  /// - Returns: The number that identifies the gateway in ``leave(_:)``.
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

  /// Starts a check of each gateway whose previous check has ended.
  ///
  /// - Parameter worked: Called when a check that had something to check has ended, possibly much later.
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
    // Not child tasks, because a hanging check would keep this method from returning.
    for (number, member) in ready { Task { await take(member, number, worked) } }
  }

  /// Handles a check that has been running since the last round. If it is still at the same part, that part
  /// hangs.
  private func look(at number: Int, _ state: inout State) {
    guard let client = state.clients[number], let progress = client.member.progress() else { return }
    note(progress.done == client.done ? progress.part : nil, number, &state)
    state.clients[number]?.done = progress.done
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

  /// Reports that a part hangs or responds again, if this is new.
  private func note(_ part: GatewayPart?, _ number: Int, _ state: inout State) {
    guard let client = state.clients[number], client.hanging != part else { return }
    state.clients[number]?.hanging = part
    if client.hanging == .store { report(client.member.person, .store, false) }
    if part == .store { report(client.member.person, .store, true) }
    let isBusHanging = state.clients.values.contains { $0.hanging == .bus }
    guard isBusHanging != state.isBusHanging else { return }
    state.isBusHanging = isBusHanging
    report(nil, .bus, isBusHanging)
  }
}
