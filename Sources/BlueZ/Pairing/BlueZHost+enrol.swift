public import Bluetooth
import DBus

extension BlueZHost {
  /// The length of each discovery. A monitor advertises at least every 10.24 s.
  private static let searching = Duration.seconds(12)
  /// Number of discoveries. The first one may find nothing, because bluetoothd sometimes assumes that the
  /// kernel is scanning although it is not.
  static let discoveries = 2
  /// Number of discoveries for a monitor that was found a moment ago and is needed again. It is greater,
  /// because a busy machine receives few advertisements.
  static let discoveriesAgain = 4

  /// Finds a monitor, connects to it, checks its services, pairs with it and reads its description.
  ///
  /// If a running gateway is connected to the monitor, its link is kept unless pairing requires a new one.
  ///
  /// - Parameters:
  ///   - query: An address, or a name as the monitor advertises it.
  /// - Throws: ``PairingError``, ``NotifyAcquiredError``, ``BlueZUnavailableError``, ``BlueZError``,
  ///   `CancellationError`.
  public func enrol(
    _ query: String, bonding: Bonding, dialogue: any PairingDialogue,
    _ step: @escaping @Sendable (PairingStep) -> Void
  ) async throws -> MonitorFacts {
    let found = try await find(DeviceQuery(query), named: query, step)
    let attended = AttendedDialogue(dialogue, about: found.path)
    var link = EnrolmentLink(found, attended)
    do {
      let facts = try await answering(bonding == .none ? nil : attended) {
        try await establish(&link, step)
        var facts = MonitorFacts(
          address: link.device.address, adapter: adapter)
        try await bond(&link, bonding, attended, &facts, step)
        step(.reading)
        try await read(link.device, &facts)
        // A gateway's subscription may have created the bond after Pair failed.
        if await objectCache.tree.isPaired(link.device.path), !facts.address.isPrivate {
          (facts.isBonded, facts.bondRefusal) = (true, nil)
        }
        _ = await session.perform(.setTrusted(device: link.device.path, true))
        return facts
      }
      if link.isOurs { await close(link.device) }
      return facts
    } catch {
      if link.isOurs { await close(link.device) }
      throw error
    }
  }

  // MARK: - Steps

  /// Closes the link, unless another program, such as a running gateway, now uses it.
  private func close(_ device: Device1) async {
    let tree = await objectCache.tree
    guard !tree.isFollowed(device.path), tree.acquisition(of: device.path) == nil else { return }
    await session.release(.disconnect(device: device.path))
  }

  /// - Parameter query: The name or address that the user entered.
  func find(
    _ wanted: DeviceQuery, named query: String, discoveries: Int = Self.discoveries,
    _ step: (PairingStep) -> Void
  ) async throws -> Device1 {
    let adapter = adapterPath
    // Use a known device only if it is connected. bluetoothd also remembers devices that are out of range,
    // and a failure to connect to one of them must not remove its bond.
    if wanted.isAddress,
      let device = wanted.matches(in: await objectCache.tree, adapter).first(where: \.isConnected)
    {
      return device
    }
    step(.searching)
    var found: [Device1] = []
    for _ in 0..<discoveries where found.isEmpty {
      found = try await discovering {
        let first = try await objectCache.wait(upTo: Self.searching) { wanted.heard(in: $0, adapter).first }
        // Other devices may have the same name, so wait 2 s for them to advertise.
        if let first, !wanted.isSure(of: first) { try await Task.sleep(for: .seconds(2)) }
        return wanted.heard(in: await objectCache.tree, adapter)
      }
    }
    guard let device = found.first else { throw PairingError.notFound(query) }
    if found.count > 1 { throw PairingError.ambiguous(query, found.map(\.address)) }
    return device
  }

  private func read(_ device: Device1, _ facts: inout MonitorFacts) async throws {
    let tree = await objectCache.tree
    facts.name = tree.device(at: device.path)?.name
    for (service, characteristic) in tree.characteristics(of: device.path)
    where characteristic.canBeRead && FollowingMachine.isDescription(service.uuid, characteristic.uuid) {
      if case .value(let bytes) = await session.perform(.readValue(characteristic: characteristic.path)) {
        facts.values.append((characteristic.uuid, AttributeValue(bytes)))
      }
    }
    // bluetoothd reads the battery level on its own, soon after the services are resolved.
    facts.battery = try await objectCache.wait(upTo: .seconds(2)) { $0.batteryPercentage(at: device.path) }
  }
}
