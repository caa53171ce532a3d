import Bluetooth
import DBus

extension BlueZHost {
  /// A running gateway subscribes within this time to a monitor that it follows.
  private static let subscribing = Duration.seconds(1)
  /// Maximum delay of the signal for a bond after the reply to Pair.
  private static let trailing = Duration.milliseconds(500)

  /// Runs `body` with an agent that uses `dialogue` for each pairing of its device.
  ///
  /// The pairing need not be started by our Pair: a monitor may request security as soon as there is a link,
  /// and a gateway's subscription makes bluetoothd pair. Without an agent, bluetoothd rejects these pairings
  /// or makes no bond, and a concurrent Pair gets its reply after two minutes.
  ///
  /// - Parameter dialogue: `nil` if no bond is wanted.
  func answering<Value: Sendable>(
    _ dialogue: AttendedDialogue?, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let dialogue else { return try await body() }
    try await PairingAgent(dialogue: dialogue).export(on: session.connection)
    do {
      try await perform(.registerAgent(path: PairingAgent.path, capability: PairingAgent.capability))
      // bluetoothd uses the agent of the client that calls Pair. For a pairing that the monitor starts it
      // uses the default agent.
      _ = await session.perform(.requestDefaultAgent(path: PairingAgent.path))
      let value = try await body()
      await removeAgent()
      return value
    } catch {
      await removeAgent()
      // The refusal is the cause of other errors.
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

  /// Makes a bond if it is wanted and possible, and tests the subscription, which may require one.
  func bond(
    _ link: inout EnrolmentLink, _ bonding: Bonding, _ attended: AttendedDialogue,
    _ facts: inout MonitorFacts, _ step: (PairingStep) -> Void
  ) async throws {
    // The monitor or a gateway may have started another pairing before ours, and the user may have refused
    // it.
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
      let refusal = "the monitor does not send an identity address, so a bond ends with the link"
      guard bonding == .preferred else { throw PairingError.pairingFailed(refusal) }
      (facts.isBonded, facts.bondRefusal) = (false, refusal)
    }
    do {
      try await trySubscription(link.device, facts)
    } catch let error as BlueZError where error.meaning == .noAnswer && facts.isBonded {
      // If our Pair and a gateway's subscription requested encryption at the same time, bluetoothd 5.66 never
      // continues the requests that waited for it. A new link, which is encrypted from the beginning, helps.
      // The gateway may have made it already.
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
    // The monitor ends the link if it refuses.
    if !facts.isBonded { try await reestablish(&link, step) }
  }

  /// Updates the address. A monitor with a private address sends its identity address while it is paired.
  /// bluetoothd 5.66 then changes the address of the device object; its path stays the same until bluetoothd
  /// restarts.
  private func identify(_ device: Device1, _ facts: inout MonitorFacts) async {
    guard let identity = await mirror.tree.device(at: device.path)?.address, identity != facts.address else {
      return
    }
    if facts.address.isPrivate { facts.privateAddress = facts.address }
    facts.address = identity
  }

  /// - Returns: Why there is no bond, if the monitor makes none and none is required; `nil` if there is a
  ///   bond.
  private func pair(
    _ device: Device1, _ bonding: Bonding, _ attended: AttendedDialogue
  ) async throws -> String? {
    do {
      try await pair(device.path)
      // The signals precede the reply, but may be handled after it.
      _ = try await mirror.holds(within: Self.trailing) {
        $0.isPaired(device.path) || $0.hasPairedTwin(device.path)
      }
      return nil
    } catch let error as BlueZError {
      if error.meaning == .alreadyDone { return nil }
      if error.meaning == .noAnswer { await session.release(.cancelPairing(device: device.path)) }
      // Another client's pairing may have succeeded, and may be the reason why ours failed.
      if try await mirror.holds(
        within: Self.trailing, { $0.isPaired(device.path) || $0.hasPairedTwin(device.path) })
      {
        return nil
      }
      // With `preferred`, a monitor that does not pair may be used without a bond, but not if the user
      // refused or entered a passkey.
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

  /// Pairs, and returns with the reply or, if there will be no reply, when a twin is paired. A monitor with
  /// new keys is unknown until it sends its identity. If bluetoothd 5.66 already has a device with that
  /// identity, it reports the pairing for that one, and never replies to the call.
  private func pair(_ path: ObjectPath) async throws {
    let call = BlueZCall.pair(device: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await perform(call) }
      group.addTask {
        guard try await mirror.holds(within: call.timeout, { $0.hasPairedTwin(path) }) else {
          // The call ends with its own timeout.
          try await Task.sleep(for: call.timeout)
          return
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Tests the subscription, which the gateway needs and which a monitor may reject without a bond.
  ///
  /// Not if another client is subscribed: a second subscription would send it copies.
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
        // bluetoothd keeps an unanswered subscription, even after the link has ended.
        await unsubscribe(from: measurement.path)
        // If the subscription requires a bond, bluetoothd pairs on its own. It does not reply unless the user
        // accepts.
        guard error.meaning == .noAnswer, !facts.isBonded else { throw error }
      }
      throw PairingError.pairingNeeded(facts.bondRefusal ?? "pairing was turned off")
    }
  }
}

extension BlueZError {
  /// Whether this is an error of a monitor that does not pair, or not with this host.
  fileprivate var isOfMonitorWithoutPairing: Bool {
    switch meaning {
    case .pairingRefused, .pairingFailed, .pairingTimedOut, .noAnswer, .notSupported: true
    default: false
    }
  }

  /// The reason of a failed pairing in which the user was involved.
  fileprivate var attendedDescription: String {
    switch meaning {
    case .pairingRefused: "the monitor refused, possibly because of a wrong passkey"
    case .pairingFailed: "the passkey was wrong, or the monitor needs none"
    default: pairingDescription
    }
  }

  /// The reason of a failed pairing in which the user was not involved.
  fileprivate var pairingDescription: String {
    switch meaning {
    case .pairingRefused: "pairing was refused"
    case .pairingFailed: "the monitor does not support pairing, or the passkey was wrong"
    case .pairingTimedOut, .noAnswer: "pairing took too long"
    default: description
    }
  }
}
