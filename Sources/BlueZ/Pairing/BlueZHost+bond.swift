import Bluetooth
import DBus

extension BlueZHost {
  /// How long to wait for a running gateway to subscribe to a newly connected monitor.
  private static let subscribing = Duration.seconds(1)
  /// How long to wait for the signal that reports a bond, which may be handled after the reply to Pair.
  private static let trailing = Duration.milliseconds(500)

  /// Runs `body` with a registered pairing agent that asks the user through `dialogue`.
  ///
  /// A pairing can also start without a Pair call: a monitor may request security as soon as it is connected,
  /// and a gateway's subscription may make bluetoothd pair. Without an agent, bluetoothd rejects such a
  /// pairing or does not create a bond, and answers a concurrent Pair only after two minutes.
  ///
  /// - Parameter dialogue: `nil` if no bond is wanted; then no agent is registered.
  func answering<Value: Sendable>(
    _ dialogue: AttendedDialogue?, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let dialogue else { return try await body() }
    try await PairingAgent(dialogue: dialogue).export(on: session.connection)
    do {
      try await perform(.registerAgent(path: PairingAgent.path, capability: PairingAgent.capability))
      // bluetoothd uses the agent of the client that calls Pair. For a pairing that the monitor starts, it
      // uses the default agent.
      _ = await session.perform(.requestDefaultAgent(path: PairingAgent.path))
      let value = try await body()
      await removeAgent()
      return value
    } catch {
      await removeAgent()
      // If the user refused, later errors are merely a consequence.
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

  /// Pairs if this is requested and possible. Then tests the subscription, because a monitor may require a
  /// bond for it.
  func bond(
    _ link: inout EnrolmentLink, _ bonding: Bonding, _ attended: AttendedDialogue,
    _ facts: inout MonitorFacts, _ step: (PairingStep) -> Void
  ) async throws {
    // The monitor or a gateway may have started another pairing earlier, which the user may have refused.
    if attended.progress == .refused { throw PairingError.pairingRefused }
    if await objectCache.tree.isPaired(link.device.path) {
      facts.isBonded = true
    } else if bonding != .none {
      try await makeBond(&link, bonding, attended, &facts, step)
      if facts.isBonded, await objectCache.tree.hasPairedTwin(link.device.path) {
        try await removeTwins(&link, step)
        try await makeBond(&link, bonding, attended, &facts, step)
      }
    }
    await identify(link.device, &facts)
    if facts.isBonded, facts.address.isPrivate {
      let refusal =
        "the monitor does not send an identity address, so its bond would be lost when it disconnects"
      guard bonding == .preferred else { throw PairingError.pairingFailed(refusal) }
      (facts.isBonded, facts.bondRefusal) = (false, refusal)
    }
    do {
      try await trySubscription(link.device, facts)
    } catch let error as BlueZError where error.meaning == .noAnswer && facts.isBonded {
      // If Pair and a gateway's subscription request encryption at the same time, bluetoothd 5.66 never
      // resumes the requests that waited for the encryption. A new link, which is encrypted from the start,
      // helps. The gateway may already have made one.
      if await objectCache.tree.isFollowed(link.device.path) { return }
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
    // A monitor that refuses to pair ends the link, so make a new one.
    if !facts.isBonded { try await reestablish(&link, step) }
  }

  /// Updates the monitor's address after pairing. A monitor with a private address sends its identity address
  /// during pairing. bluetoothd 5.66 then changes the address of the device object, but keeps its path until
  /// bluetoothd restarts.
  private func identify(_ device: Device1, _ facts: inout MonitorFacts) async {
    guard let identity = await objectCache.tree.device(at: device.path)?.address, identity != facts.address
    else { return }
    if facts.address.isPrivate { facts.privateAddress = facts.address }
    facts.address = identity
  }

  /// - Returns: `nil` if there is a bond. Otherwise, the reason why the monitor does not pair, if a bond is
  ///   not required.
  private func pair(
    _ device: Device1, _ bonding: Bonding, _ attended: AttendedDialogue
  ) async throws -> String? {
    do {
      try await pair(device.path)
      // bluetoothd sends the signals before the reply, but they may be handled after it.
      _ = try await objectCache.holds(within: Self.trailing) {
        $0.isPaired(device.path) || $0.hasPairedTwin(device.path)
      }
      return nil
    } catch let error as BlueZError {
      if error.meaning == .alreadyDone { return nil }
      if error.meaning == .noAnswer { await session.release(.cancelPairing(device: device.path)) }
      // Another client may have paired in the meantime, which may be why this pairing failed.
      if try await objectCache.holds(
        within: Self.trailing, { $0.isPaired(device.path) || $0.hasPairedTwin(device.path) })
      {
        return nil
      }
      // With `preferred`, a monitor that does not pair is used without a bond, unless the user took part in
      // the pairing.
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

  /// Calls Pair, and returns when it is answered or when another device object with the same identity is
  /// paired. A monitor with new keys has an unknown address until it sends its identity. If bluetoothd 5.66
  /// already has a device with that identity, it reports the pairing for that device and never answers the
  /// call.
  private func pair(_ path: ObjectPath) async throws {
    let call = BlueZCall.pair(device: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await perform(call) }
      group.addTask {
        guard try await objectCache.holds(within: call.timeout, { $0.hasPairedTwin(path) }) else {
          // Wait, so that the other task ends first and the group throws the error of the call.
          try await Task.sleep(for: call.timeout)
          return
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Subscribes to the measurements once as a test, because a monitor may reject this without a bond.
  ///
  /// Does nothing if another client is subscribed, because that client would receive each value twice.
  private func trySubscription(_ device: Device1, _ facts: MonitorFacts) async throws {
    let measurement = try await measurement(of: device)
    if try await objectCache.holds(within: Self.subscribing, { $0.isFollowed(device.path) }) { return }
    do {
      try await perform(.startNotify(characteristic: measurement.path))
      await unsubscribe(from: measurement.path)
    } catch let error as BlueZError {
      switch error.meaning {
      case .inProgress, .alreadyDone: return
      case .takenByAnother: throw NotifyAcquiredError(monitor: facts.address)
      case .pairingNeeded: break
      default:
        // bluetoothd keeps an unanswered StartNotify even after the link has ended, so end it.
        await unsubscribe(from: measurement.path)
        // If the subscription requires a bond, bluetoothd pairs by itself, and does not reply unless the user
        // accepts.
        guard error.meaning == .noAnswer, !facts.isBonded else { throw error }
      }
      throw PairingError.pairingNeeded(facts.bondRefusal ?? "pairing without a bond was requested")
    }
  }
}

extension BlueZError {
  /// Whether the error means that the monitor does not pair, or not with this host.
  fileprivate var isOfMonitorWithoutPairing: Bool {
    switch meaning {
    case .pairingRefused, .pairingFailed, .pairingTimedOut, .noAnswer, .notSupported: true
    default: false
    }
  }

  /// The reason, for the user, why a pairing failed in which the user took part.
  fileprivate var attendedDescription: String {
    switch meaning {
    case .pairingRefused: "the monitor refused, possibly because of a wrong passkey"
    case .pairingFailed: "the passkey was wrong, or the monitor needs none"
    default: pairingDescription
    }
  }

  /// The reason, for the user, why a pairing failed in which the user did not take part.
  fileprivate var pairingDescription: String {
    switch meaning {
    case .pairingRefused: "the monitor or bluetoothd rejected the pairing"
    case .pairingFailed: "the monitor does not support pairing, or the passkey was wrong"
    case .pairingTimedOut, .noAnswer: "the monitor did not complete the pairing in time"
    default: description
    }
  }
}
