import Bluetooth
import DBus

/// The connection used to add a monitor.
struct EnrolmentLink {
  private(set) var device: Device1
  /// Whether this program's Connect made or is making the link, so that this program has to close it.
  var isOurs = false
  private let dialogue: AttendedDialogue

  init(_ device: Device1, _ dialogue: AttendedDialogue) {
    self.device = device
    self.dialogue = dialogue
  }

  /// Uses a new device object, after bluetoothd removed the old one and found the monitor again.
  mutating func restart(with device: Device1) {
    dialogue.turn(to: device.path)
    self = EnrolmentLink(device, dialogue)
  }
}

extension BlueZHost {
  private static let resolving = Duration.seconds(30)
  private static let overtaking = Duration.seconds(2)
  /// How long to wait for the end of a link. bluetoothd itself waits 2 s before closing one.
  private static let ending = Duration.seconds(10)
  /// Number of consecutive failures within seconds that indicate a lost bond, and of slower failures that
  /// indicate that the monitor is out of range.
  private static let quickFailuresOfLostBond = 3
  private static let slowFailures = 2
  /// Maximum number of attempts to connect after the bond was removed.
  private static let attemptsWithoutBond = 3
  /// Pause between attempts to connect, so that a temporary failure can end.
  private static let pauseAfterFailure = Duration.seconds(1)

  /// Connects, waits for the services and checks that there is a Heart Rate Measurement characteristic.
  func establish(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    do {
      if link.device.isPaired {
        try await reachBonded(&link, step)
      } else {
        try await reach(&link, step)
      }
    } catch let error as BlueZError {
      throw PairingError.notConnected(error.description)
    }
    _ = try await measurement(of: link.device)
  }

  /// Reconnects after the link has ended. If another program has connected, its link is used.
  func reestablish(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    let path = link.device.path
    // The reply to Disconnect may arrive before the signal that the link has ended.
    if try await objectCache.holds(within: Self.overtaking, { !$0.isConnected(path) }) { link.isOurs = false }
    do {
      try await reach(&link, step)
    } catch let error as BlueZError {
      throw PairingError.notConnected(error.description)
    }
  }

  private func reach(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    step(.connecting(link.device.address, name: link.device.name))
    do {
      try await connect(&link)
    } catch let error as BlueZError where error.meaning == .objectGone {
      // bluetoothd removes a device without a bond 30 s after it last received it. If the link existed before
      // bluetoothd started, bluetoothd removes the device when the link ends.
      link.restart(with: try await findAgain(link.device, step))
      step(.connecting(link.device.address, name: link.device.name))
      try await connect(&link)
    }
    step(.resolving)
    try await resolve(link.device)
  }

  /// Connects to a bonded monitor. If one side has lost its keys, the other side closes each link at once,
  /// and bluetoothd does not report the reason. That may be why the user pairs again. The bond is removed
  /// only after several such failures, because it may still be good.
  private func reachBonded(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    var (quick, slow) = (0, 0)
    while quick < Self.quickFailuresOfLostBond {
      let begin = ContinuousClock.now
      do {
        return try await reach(&link, step)
      } catch  where error.mayBeTheBonds {
        // If there was a link, the monitor is near, no matter how long a busy machine took for the attempt.
        let stood = error as? PairingError == .linkLost
        if stood || ContinuousClock.now - begin < FollowingPolicy().quickFailure {
          quick += 1
        } else {
          slow += 1
        }
        if slow == Self.slowFailures { throw error }
      }
      try await rest(after: link)
    }
    step(.removingBond(link.device.address))
    try await removeBond(of: link.device)
    link.restart(with: try await findAgain(link.device, step))
    try await reachUnbonded(&link, step)
  }

  /// Connects after the bond was removed. Tries several times, because a single attempt often fails on a busy
  /// machine.
  private func reachUnbonded(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    for _ in 1..<Self.attemptsWithoutBond {
      do {
        return try await reach(&link, step)
      } catch  where error.mayBeTheBonds {
        try await rest(after: link)
      }
    }
    try await reach(&link, step)
  }

  /// Waits until the link of a failed attempt has ended.
  private func rest(after link: EnrolmentLink) async throws {
    let path = link.device.path
    _ = try await objectCache.holds(within: Self.ending) { !$0.isConnected(path) }
    try await Task.sleep(for: Self.pauseAfterFailure)
  }

  /// Removes a device and its bond. First keeps the kernel from connecting, with a Disconnect while the
  /// device is untrusted. Otherwise, bluetoothd would create a new device object for the removed identity,
  /// and the next pairing would be reported for that object or not at all.
  private func removeBond(of device: Device1) async throws {
    let removal = BlueZCall.removeDevice(adapter: device.adapter, device: device.path)
    try await check(removal)
    await session.release(.setTrusted(device: device.path, false))
    await session.release(.disconnect(device: device.path))
    _ = try await objectCache.holds(within: Self.ending) { !$0.isConnected(device.path) }
    do {
      try await perform(removal)
    } catch let error as BlueZError where error.meaning == .objectGone {
      // bluetoothd has already removed the device.
    }
  }

  /// Removes other device objects with the same identity address. If there are two, bluetoothd 5.66 confuses
  /// their links.
  func removeTwins(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    let adapter = link.device.adapter
    guard let identity = await objectCache.tree.device(at: link.device.path)?.address else {
      throw PairingError.linkLost
    }
    step(.removingOldKeys(identity))
    for twin in await objectCache.tree.devices(with: identity) where twin.adapter == adapter {
      try await removeBond(of: twin)
    }
    link.restart(with: try await findAgain(link.device, step))
    do {
      try await reach(&link, step)
    } catch let error as BlueZError {
      throw PairingError.notConnected(error.description)
    }
  }

  private func findAgain(_ device: Device1, _ step: (PairingStep) -> Void) async throws -> Device1 {
    try await find(
      DeviceQuery(device), named: device.name ?? device.address.description,
      discoveries: Self.discoveriesAgain, step)
  }

  private func connect(_ link: inout EnrolmentLink) async throws {
    let device = link.device
    guard await !objectCache.tree.isConnected(device.path) else { return }
    link.isOurs = true
    do {
      try await perform(.connect(device: device.path))
    } catch let error as BlueZError {
      switch error.meaning {
      case .alreadyDone: link.isOurs = false
      case .inProgress:
        link.isOurs = false
        try await awaitForeignAttempt(device)
      default: throw error
      }
    }
  }

  /// Waits until another client, for example a running gateway, has connected. The kernel gives up after 40
  /// s.
  private func awaitForeignAttempt(_ device: Device1) async throws {
    guard try await objectCache.holds(within: .seconds(45), { $0.isConnected(device.path) }) else {
      throw PairingError.notConnected(
        "another program was already connecting to the monitor, and did not succeed; try again")
    }
  }

  /// Waits until bluetoothd has discovered the services, or the link ends.
  private func resolve(_ device: Device1) async throws {
    // The reply to Connect may arrive before the signal that the device is connected.
    _ = try await objectCache.holds(within: Self.overtaking) { $0.isConnected(device.path) }
    let resolved = try await objectCache.wait(upTo: Self.resolving) { tree -> Bool? in
      guard let now = tree.device(at: device.path), now.isConnected else { return false }
      return now.areServicesResolved ? true : nil
    }
    guard let resolved else { throw PairingError.servicesNotResolved }
    guard resolved else { throw PairingError.linkLost }
  }

  func measurement(of device: Device1) async throws -> GattCharacteristic1 {
    guard let measurement = await objectCache.tree.measurement(of: device.path), measurement.canNotify
    else { throw PairingError.noMeasurement }
    return measurement
  }
}

extension ObjectTree {
  fileprivate func isConnected(_ device: ObjectPath) -> Bool { self.device(at: device)?.isConnected == true }

  func isPaired(_ device: ObjectPath) -> Bool { self.device(at: device)?.isPaired == true }

  /// Returns whether the adapter has another device object that has the same identity address and a bond.
  func hasPairedTwin(_ path: ObjectPath) -> Bool {
    guard let device = device(at: path) else { return false }
    return devices(with: device.address).contains {
      $0.path != path && $0.adapter == device.adapter && $0.isPaired
    }
  }

  /// Whether bluetoothd reports that some client is subscribed to the measurements.
  func isFollowed(_ device: ObjectPath) -> Bool { followedMeasurement(of: device) != nil }

  /// Returns the measurement characteristic if bluetoothd reports that some client is subscribed to it;
  /// otherwise `nil`.
  func followedMeasurement(of device: ObjectPath) -> ObjectPath? {
    measurement(of: device).flatMap { $0.isNotifying ? $0.path : nil }
  }
}

extension Error {
  /// Whether a lost bond may be the cause. A link with wrong keys ends at once, and bluetoothd does not
  /// report why.
  fileprivate var mayBeTheBonds: Bool {
    if let error = self as? BlueZError {
      return error.meaning == .connectFailed || error.meaning == .bondLost
    }
    return self as? PairingError == .linkLost
  }
}
