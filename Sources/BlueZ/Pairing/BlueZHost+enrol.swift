public import Bluetooth
import BluetoothCentral
import DBus
import GATT

extension BlueZHost {
  /// What enrolment is at, for the user to see.
  public enum EnrolmentStep: Hashable, Sendable {
    case searching
    case connecting(BluetoothAddress, name: String?)
    case resolving
    case pairing
    case reading
  }

  /// How long a monitor is looked for. Advertising intervals go up to 10.24 s.
  private static let searching = Duration.seconds(20)
  private static let resolving = Duration.seconds(30)
  private static let overtaking = Duration.seconds(2)

  /// Finds a monitor, connects to it, makes sure that it is one, pairs with it and reads what it says of itself.
  ///
  /// - Parameters:
  ///   - query: An address, or a name as it is advertised.
  /// - Throws: ``EnrolmentFailure``, ``BlueZUnavailable``, ``BlueZError``, `CancellationError`.
  public func enrol(
    _ query: String, bonding: Bonding, dialogue: any PairingDialogue,
    _ step: @escaping @Sendable (EnrolmentStep) -> Void
  ) async throws -> MonitorFacts {
    var device = try await find(query, step)
    let wasConnected = device.isConnected
    do {
      do {
        try await establish(device, step)
      } catch let failure as EnrolmentFailure where device.isPaired && failure.mayBeTheBonds {
        // One side has lost the keys. Whoever pairs again wants a new bond, so the old one goes.
        try await forget(device.address)
        device = try await find(device.address.description, step)
        try await establish(device, step)
      }
      var facts = MonitorFacts(
        address: device.address, adapter: adapter, name: nil, isBonded: false, bondRefusal: nil, battery: nil,
        values: [])
      try await bond(device, bonding, dialogue, &facts, step)
      step(.reading)
      try await read(device, &facts)
      _ = await session.perform(.setTrusted(device: device.path, true))
      if !wasConnected { await close(device) }
      return facts
    } catch {
      if !wasConnected { await close(device) }
      throw error
    }
  }

  // MARK: - Steps

  /// Ends the link, unless a gateway that runs has taken it up meanwhile.
  private func close(_ device: Device1) async {
    let measurement = await mirror.tree.characteristic(
      .heartRateMeasurement, in: .heartRate, of: device.path)
    guard measurement?.isNotifying != true else { return }
    await session.release(.disconnect(device: device.path))
  }

  private func establish(_ device: Device1, _ step: (EnrolmentStep) -> Void) async throws {
    step(.connecting(device.address, name: device.name))
    try await connect(device)
    step(.resolving)
    try await resolve(device)
  }

  private func find(_ query: String, _ step: (EnrolmentStep) -> Void) async throws -> Device1 {
    let adapter = adapterPath
    let wanted = DeviceQuery(query)
    // What bluetoothd only remembers may be far away, and a bond must not be given up for that.
    if wanted.isAddress,
      let device = wanted.matches(in: await mirror.tree, adapter).first(where: \.isConnected)
    {
      return device
    }
    step(.searching)
    let found = try await discovering {
      // By name all that bear it are waited for a little, so that an ambiguous name is noticed.
      let first = try await mirror.wait(upTo: Self.searching) { wanted.heard(in: $0, adapter).first }
      if first != nil, !wanted.isAddress { try await Task.sleep(for: .seconds(2)) }
      return wanted.heard(in: await mirror.tree, adapter)
    }
    guard let device = found.first else { throw EnrolmentFailure.notFound(query) }
    if found.count > 1 { throw EnrolmentFailure.ambiguous(query, found.map(\.address)) }
    return device
  }

  private func connect(_ device: Device1) async throws {
    guard await mirror.tree.device(at: device.path)?.isConnected != true else { return }
    do {
      try await perform(.connect(device: device.path))
    } catch let error as BlueZError {
      switch error.meaning {
      case .alreadyDone: return
      case .inProgress: try await awaitForeignAttempt(device)
      default: throw EnrolmentFailure.notConnected(error.description)
      }
    }
  }

  /// Somebody else is connecting to it, a gateway that runs for instance. The kernel gives an attempt 40 s.
  private func awaitForeignAttempt(_ device: Device1) async throws {
    let stands = try await mirror.wait(upTo: .seconds(45)) {
      $0.device(at: device.path)?.isConnected == true ? true : nil
    }
    if stands == nil {
      throw EnrolmentFailure.notConnected("another attempt is going on, and comes to nothing")
    }
  }

  /// The services are there, or the link is not.
  private func resolve(_ device: Device1) async throws {
    // The answer to Connect may overtake the signal of the link.
    _ = try await mirror.wait(upTo: Self.overtaking) {
      $0.device(at: device.path)?.isConnected == true ? true : nil
    }
    let resolved = try await mirror.wait(upTo: Self.resolving) { tree -> Bool? in
      guard let now = tree.device(at: device.path), now.isConnected else { return false }
      return now.areServicesResolved ? true : nil
    }
    guard let resolved else { throw EnrolmentFailure.servicesNotResolved }
    guard resolved else { throw EnrolmentFailure.linkLost }
    _ = try await measurement(of: device)
  }

  private func measurement(of device: Device1) async throws -> GattCharacteristic1 {
    guard
      let measurement = await mirror.tree.characteristic(
        .heartRateMeasurement, in: .heartRate, of: device.path),
      measurement.canNotify
    else { throw EnrolmentFailure.noMeasurement }
    return measurement
  }

  private func bond(
    _ device: Device1, _ bonding: Bonding, _ dialogue: any PairingDialogue, _ facts: inout MonitorFacts,
    _ step: (EnrolmentStep) -> Void
  ) async throws {
    if await mirror.tree.device(at: device.path)?.isPaired == true {
      facts.isBonded = true
    } else if bonding == .preferred {
      step(.pairing)
      do {
        try await pair(device, dialogue)
        facts.isBonded = true
      } catch let error as BlueZError {
        facts.bondRefusal = error.pairingDescription
        // A refusal ends the link.
        try await connect(await mirror.wait(upTo: Self.resolving) { $0.device(at: device.path) } ?? device)
        try await resolve(device)
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

  private func read(_ device: Device1, _ facts: inout MonitorFacts) async throws {
    let tree = await mirror.tree
    facts.name = tree.device(at: device.path)?.name
    for (service, characteristic) in tree.characteristics(of: device.path)
    where characteristic.canBeRead && FollowingMachine.isDescription(service.uuid, characteristic.uuid) {
      if case .value(let bytes) = await session.perform(.readValue(characteristic: characteristic.path)) {
        facts.values.append((characteristic.uuid, AttributeValue(bytes)))
      }
    }
    // bluetoothd reads the battery by itself, soon after the services are resolved.
    facts.battery = try await mirror.wait(upTo: .seconds(2)) { $0.batteryPercentage(at: device.path) }
  }
}

extension EnrolmentFailure {
  /// A link that is not encrypted as agreed is closed at once, and bluetoothd does not say why.
  fileprivate var mayBeTheBonds: Bool {
    switch self {
    case .notConnected, .linkLost, .servicesNotResolved: true
    default: false
    }
  }
}

extension BlueZError {
  /// What a pairing that failed means, to a person.
  fileprivate var pairingDescription: String {
    switch meaning {
    case .pairingRefused: "pairing was refused"
    case .pairingFailed: "pairing failed: the monitor does not pair, or the passkey was another"
    case .pairingTimedOut, .noAnswer: "pairing took too long"
    default: description
    }
  }
}
