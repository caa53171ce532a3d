import Bluetooth
import DBus

extension BlueZHost {
  /// A gateway that runs subscribes this soon to a monitor that it knows.
  private static let subscribing = Duration.seconds(1)
  /// So far the signal of a bond may trail behind an answer.
  private static let trailing = Duration.milliseconds(500)

  /// Has `dialogue` answer whatever pairs with its device while `body` runs.
  ///
  /// That need not be our Pair: a monitor asks for security as soon as the link stands, and a gateway's
  /// subscription makes bluetoothd pair. With nobody to answer these, bluetoothd refuses them, or makes no
  /// bond of them, and the Pair that comes meanwhile is answered after two minutes.
  ///
  /// - Parameter dialogue: `nil` where no bond is wanted.
  func answering<Value: Sendable>(
    _ dialogue: AttendedDialogue?, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let dialogue else { return try await body() }
    try await PairingAgent(dialogue: dialogue).export(on: session.connection)
    do {
      try await perform(.registerAgent(path: PairingAgent.path, capability: PairingAgent.capability))
      // bluetoothd asks the agent of whoever calls Pair; what a monitor starts by itself goes to the default
      // one.
      _ = await session.perform(.requestDefaultAgent(path: PairingAgent.path))
      let value = try await body()
      await removeAgent()
      return value
    } catch {
      await removeAgent()
      // Whatever came of it, this is why.
      if dialogue.progress == .refused, !(error is CancellationError) {
        throw PairingError.pairingRefused
      }
      throw error
    }
  }

  private func removeAgent() async {
    await session.release(.unregisterAgent(path: PairingAgent.path))
    await session.connection.unexport(PairingAgent.path)
  }

  /// Makes a bond where one is wanted and can be, and tries what wants one.
  func bond(
    _ link: inout EnrolmentLink, _ bonding: Bonding, _ attended: AttendedDialogue,
    _ facts: inout MonitorFacts, _ step: (PairingStep) -> Void
  ) async throws {
    // The monitor, or a gateway, may have begun a pairing before ours, and the user may have said no to that
    // one.
    if attended.progress == .refused { throw PairingError.pairingRefused }
    if await mirror.tree.isPaired(link.device.path) {
      facts.isBonded = true
    } else if bonding != .none {
      try await makeBond(&link, bonding, attended, &facts, step)
      if facts.isBonded, await mirror.tree.hasPairedTwin(link.device.path) {
        try await removeTwins(&link, step)
        try await makeBond(&link, bonding, attended, &facts, step)
      }
    }
    await identify(link.device, &facts)
    if facts.isBonded, facts.address.isPrivate {
      let refusal = "it does not tell its identity, so a bond ends with the link"
      guard bonding == .preferred else { throw PairingError.pairingFailed(refusal) }
      (facts.isBonded, facts.bondRefusal) = (false, refusal)
    }
    do {
      try await trySubscription(link.device, facts)
    } catch let error as BlueZError where error.meaning == .noAnswer && facts.isBonded {
      // Where our Pair and a gateway's subscription wanted encryption at once, bluetoothd 5.66 never takes up
      // the requests that waited for it. Over a new link, which is encrypted from its beginning, it does. The
      // gateway may have made that already.
      if await mirror.tree.isFollowed(link.device.path) { return }
      await session.release(.disconnect(device: link.device.path))
      try await reestablish(&link, step)
      try await trySubscription(link.device, facts)
    }
  }

  private func makeBond(
    _ link: inout EnrolmentLink, _ bonding: Bonding, _ attended: AttendedDialogue,
    _ facts: inout MonitorFacts, _ step: (PairingStep) -> Void
  ) async throws {
    step(.pairing)
    facts.bondRefusal = try await pair(link.device, bonding, attended)
    facts.isBonded = facts.bondRefusal == nil
    // A refusal ends the link.
    if !facts.isBonded { try await reestablish(&link, step) }
  }

  /// A monitor with a private address tells its identity while it is paired. bluetoothd 5.66 then changes the
  /// address of its device, whose path stays until it starts anew.
  private func identify(_ device: Device1, _ facts: inout MonitorFacts) async {
    guard let identity = await mirror.tree.device(at: device.path)?.address, identity != facts.address else {
      return
    }
    if facts.address.isPrivate { facts.privateAddress = facts.address }
    facts.address = identity
  }

  /// - Returns: Why there is no bond, where the monitor does not make one and need not; `nil` where there is
  ///   one.
  private func pair(
    _ device: Device1, _ bonding: Bonding, _ attended: AttendedDialogue
  ) async throws -> String? {
    do {
      try await pair(device.path)
      // What it brought is told before the answer, and may be read behind it.
      _ = try await mirror.holds(within: Self.trailing) {
        $0.isPaired(device.path) || $0.hasPairedTwin(device.path)
      }
      return nil
    } catch let error as BlueZError {
      if error.meaning == .alreadyDone { return nil }
      if error.meaning == .noAnswer { await session.release(.cancelPairing(device: device.path)) }
      // Somebody else's pairing may have come about, and be the reason why ours did not.
      if try await mirror.holds(
        within: Self.trailing, { $0.isPaired(device.path) || $0.hasPairedTwin(device.path) })
      {
        return nil
      }
      // No bond is what a monitor may want, that does not pair. Whoever says no, or gives a passkey, wants
      // something else.
      guard attended.progress == .unused, bonding == .preferred else {
        throw PairingError.pairingFailed(error.attendedDescription)
      }
      guard error.isOfMonitorWithoutPairing else {
        throw PairingError.pairingFailed(error.pairingDescription)
      }
      return error.pairingDescription
    } catch let error as CancellationError {
      await session.release(.cancelPairing(device: device.path))
      throw error
    }
  }

  /// Pairs, and waits for the answer, or for what stands for one: a monitor that drew new keys is unknown
  /// until it tells its identity. If bluetoothd 5.66 has a device of that already, all that follows is that
  /// one's, and the call is never answered.
  private func pair(_ path: ObjectPath) async throws {
    let call = BlueZCall.pair(device: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await perform(call) }
      group.addTask {
        guard try await mirror.holds(within: call.timeout, { $0.hasPairedTwin(path) }) else {
          // The call ends by itself.
          try await Task.sleep(for: call.timeout)
          return
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// The subscription is what the gateway will want, and what a monitor may refuse without a bond.
  ///
  /// Not where somebody has subscribed: a second subscription would give them copies.
  private func trySubscription(_ device: Device1, _ facts: MonitorFacts) async throws {
    let measurement = try await measurement(of: device)
    if try await mirror.holds(within: Self.subscribing, { $0.isFollowed(device.path) }) { return }
    do {
      try await perform(.startNotify(characteristic: measurement.path))
      await unsubscribe(from: measurement.path)
    } catch let error as BlueZError {
      switch error.meaning {
      case .inProgress, .alreadyDone: return
      case .takenByAnother: throw NotifyAcquiredError(monitor: facts.address)
      case .pairingNeeded: break
      default:
        // bluetoothd keeps a subscription that it has not answered, over the end of the link.
        await unsubscribe(from: measurement.path)
        // Where nobody says yes, it pairs by itself for a subscription that wants a bond, and no answer
        // comes.
        guard error.meaning == .noAnswer, !facts.isBonded else { throw error }
      }
      throw PairingError.pairingNeeded(facts.bondRefusal ?? "it was not to be paired")
    }
  }
}

extension BlueZError {
  /// A monitor that does not pair, or not with us, says one of these, or nothing.
  fileprivate var isOfMonitorWithoutPairing: Bool {
    switch meaning {
    case .pairingRefused, .pairingFailed, .pairingTimedOut, .noAnswer, .notSupported: true
    default: false
    }
  }

  /// What a pairing that failed means, to a person who had a part in it.
  fileprivate var attendedDescription: String {
    switch meaning {
    case .pairingRefused: "the monitor refused, as it may for a wrong passkey"
    case .pairingFailed: "the passkey was wrong, or the monitor pairs without one"
    default: pairingDescription
    }
  }

  /// What it means where the monitor asked for nothing.
  fileprivate var pairingDescription: String {
    switch meaning {
    case .pairingRefused: "pairing was refused"
    case .pairingFailed: "pairing failed: the monitor does not pair, or the passkey was another"
    case .pairingTimedOut, .noAnswer: "pairing took too long"
    default: description
    }
  }
}
