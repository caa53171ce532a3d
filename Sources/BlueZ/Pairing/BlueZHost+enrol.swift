public import Bluetooth
import DBus

extension BlueZHost {
  /// How long each discovery looks for a monitor. Advertising intervals go up to 10.24 s.
  private static let searching = Duration.seconds(12)
  /// So many follow each other: one may hear nothing at all, where bluetoothd takes the kernel's scan for
  /// begun and it is not.
  static let discoveries = 2
  /// What was in the air a moment ago is looked for longer: a machine that is short of time hears little.
  static let discoveriesAgain = 4

  /// Finds a monitor, connects to it, makes sure that it is one, pairs with it and reads what it says of
  /// itself.
  ///
  /// A link that a gateway has, or makes, is left to it, unless it has to be made anew for the pairing's
  /// sake.
  ///
  /// - Parameters:
  ///   - query: An address, or a name as it is advertised.
  /// - Throws: ``PairingError``, ``NotifyAcquiredError``, ``BlueZUnavailable``, ``BlueZError``,
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
        // A gateway's subscription may have made the bond that our Pair could not.
        if await mirror.tree.isPaired(link.device.path), !facts.address.isPrivate {
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

  /// Ends the link, unless another program, such as a running gateway, uses it by now.
  private func close(_ device: Device1) async {
    let tree = await mirror.tree
    guard !tree.isFollowed(device.path), tree.acquisition(of: device.path) == nil else { return }
    await session.release(.disconnect(device: device.path))
  }

  /// - Parameter query: How the user knows it.
  func find(
    _ wanted: DeviceQuery, named query: String, discoveries: Int = Self.discoveries,
    _ step: (PairingStep) -> Void
  ) async throws -> Device1 {
    let adapter = adapterPath
    // What bluetoothd only remembers may be far away, and a bond must not be given up for that.
    if wanted.isAddress,
      let device = wanted.matches(in: await mirror.tree, adapter).first(where: \.isConnected)
    {
      return device
    }
    step(.searching)
    var found: [Device1] = []
    for _ in 0..<discoveries where found.isEmpty {
      found = try await discovering {
        let first = try await mirror.wait(upTo: Self.searching) { wanted.heard(in: $0, adapter).first }
        // By name all that bear it are waited for a little, so that an ambiguous name is noticed.
        if let first, !wanted.isSure(of: first) { try await Task.sleep(for: .seconds(2)) }
        return wanted.heard(in: await mirror.tree, adapter)
      }
    }
    guard let device = found.first else { throw PairingError.notFound(query) }
    if found.count > 1 { throw PairingError.ambiguous(query, found.map(\.address)) }
    return device
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
