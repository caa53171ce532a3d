import BluetoothCentral
import DBus
import GATT

extension BlueZHost {
  /// Makes a bond where one is wanted and can be, and tries what wants one.
  func bond(
    _ device: Device1, _ bonding: Bonding, _ dialogue: any PairingDialogue, _ facts: inout MonitorFacts,
    _ step: (EnrolmentStep) -> Void
  ) async throws {
    if await mirror.tree.device(at: device.path)?.isPaired == true {
      facts.isBonded = true
    } else if bonding != .none {
      step(.pairing)
      let attended = AttendedDialogue(dialogue)
      do {
        try await pair(device, attended)
        facts.isBonded = true
      } catch let error as BlueZError {
        // No bond is what a monitor may want, that does not pair. Whoever says no, or gives a passkey, wants something else.
        if attended.progress == .refused { throw EnrolmentFailure.pairingRefused }
        guard attended.progress == .unused, bonding == .preferred else {
          throw EnrolmentFailure.pairingFailed(error.attendedDescription)
        }
        guard error.isOfMonitorWithoutPairing else {
          throw EnrolmentFailure.pairingFailed(error.pairingDescription)
        }
        facts.bondRefusal = error.pairingDescription
        // A refusal ends the link.
        try await reestablish(device)
      }
    }
    try await trySubscription(device, facts)
  }

  private func pair(_ device: Device1, _ dialogue: any PairingDialogue) async throws {
    let agent = PairingAgent(device: device.path, dialogue: dialogue)
    try await agent.export(on: session.connection)
    do {
      try await perform(.registerAgent(path: PairingAgent.path, capability: PairingAgent.capability))
      // bluetoothd asks the agent of whoever calls Pair; what a monitor starts by itself goes to the default one.
      _ = await session.perform(.requestDefaultAgent(path: PairingAgent.path))
      try await perform(.pair(device: device.path))
    } catch let error as BlueZError where error.meaning == .alreadyDone {
      // Paired meanwhile.
    } catch {
      if error is CancellationError { await session.release(.cancelPairing(device: device.path)) }
      await removeAgent()
      throw error
    }
    await removeAgent()
  }

  private func removeAgent() async {
    await session.release(.unregisterAgent(path: PairingAgent.path))
    await session.connection.unexport(PairingAgent.path)
  }

  /// The subscription is what the gateway will want, and what a monitor may refuse without a bond.
  private func trySubscription(_ device: Device1, _ facts: MonitorFacts) async throws {
    let measurement = try await measurement(of: device)
    do {
      try await perform(.startNotify(characteristic: measurement.path))
      await session.release(.stopNotify(characteristic: measurement.path))
    } catch let error as BlueZError {
      switch error.meaning {
      case .inProgress, .alreadyDone: return
      case .pairingNeeded, .attributeError(0x05), .attributeError(0x0F):
        throw EnrolmentFailure.pairingNeeded(facts.bondRefusal ?? "it was not to be paired")
      default:
        // bluetoothd pairs by itself for a subscription that wants a bond, nobody says yes, and no answer comes.
        if let refusal = facts.bondRefusal { throw EnrolmentFailure.pairingNeeded(refusal) }
        throw error
      }
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
