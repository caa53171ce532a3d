import Bluetooth
import DBus

/// The link by which a monitor is enrolled.
struct EnrolmentLink {
  private(set) var device: Device1
  /// Our Connect made it, or tries to, so it is ours to close.
  var isOurs = false
  private let dialogue: AttendedDialogue

  init(_ device: Device1, _ dialogue: AttendedDialogue) {
    self.device = device
    self.dialogue = dialogue
  }

  /// bluetoothd forgot the device, and found it anew.
  mutating func begin(anewWith device: Device1) {
    dialogue.turn(to: device.path)
    self = EnrolmentLink(device, dialogue)
  }
}

extension BlueZHost {
  private static let resolving = Duration.seconds(30)
  private static let overtaking = Duration.seconds(2)
  /// bluetoothd waits 2 s before it closes a link.
  private static let ending = Duration.seconds(10)
  /// So many quick failures are the bond's fault, and so many slow ones say that the monitor is away.
  private static let quickFailuresOfLostBond = 3
  private static let slowFailures = 2
  /// So often a monitor is connected to whose bond was removed.
  private static let attemptsWithoutBond = 3
  /// What was transient has passed after this.
  private static let pauseAfterFailure = Duration.seconds(1)

  /// A link, and the services of a heart-rate monitor over it.
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

  /// The link anew, after it ended or was ended. Whoever makes it, has it.
  func reestablish(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    let path = link.device.path
    // The answer to Disconnect may overtake the signal.
    if try await mirror.holds(within: Self.overtaking, { !$0.isConnected(path) }) { link.isOurs = false }
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
      // bluetoothd forgets who has no bond: half a minute after it was heard, or as a link ends that
      // bluetoothd found at its start.
      link.begin(anewWith: try await findAgain(link.device, step))
      step(.connecting(link.device.address, name: link.device.name))
      try await connect(&link)
    }
    step(.resolving)
    try await resolve(link.device)
  }

  /// Whoever pairs again may do so because one side has lost the keys: then the other closes each link as
  /// soon as it stands, and bluetoothd does not say why. A bond that is good is worth more than an attempt,
  /// so it is given up only for several such failures.
  private func reachBonded(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    var (quick, slow) = (0, 0)
    while quick < Self.quickFailuresOfLostBond {
      let begin = ContinuousClock.now
      do {
        return try await reach(&link, step)
      } catch  where error.mayBeTheBonds {
        // A link that stood is no absence, however long a busy machine was about it.
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
    link.begin(anewWith: try await findAgain(link.device, step))
    try await reachUnbonded(&link, step)
  }

  /// The bond was given up for it: an attempt that comes to nothing, as many do on a busy machine, is not to
  /// be all that comes of that.
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

  /// Lets what is left of an attempt pass.
  private func rest(after link: EnrolmentLink) async throws {
    let path = link.device.path
    _ = try await mirror.holds(within: Self.ending) { !$0.isConnected(path) }
    try await Task.sleep(for: Self.pauseAfterFailure)
  }

  /// While the kernel goes on connecting, bluetoothd makes a device anew of the identity that it has just
  /// been told to forget, and the pairing that follows is answered in the name of that one, or not at all.
  /// The kernel stops for a device that is told to disconnect while it is not trusted.
  private func removeBond(of device: Device1) async throws {
    let removal = BlueZCall.removeDevice(adapter: device.adapter, device: device.path)
    try await check(removal)
    await session.release(.setTrusted(device: device.path, false))
    await session.release(.disconnect(device: device.path))
    _ = try await mirror.holds(within: Self.ending) { !$0.isConnected(device.path) }
    do {
      try await perform(removal)
    } catch let error as BlueZError where error.meaning == .objectGone {
      // It is what was wanted.
    }
  }

  /// Of two devices of one identity bluetoothd 5.66 tells the links of one by the other.
  func removeTwins(_ link: inout EnrolmentLink, _ step: (PairingStep) -> Void) async throws {
    let adapter = link.device.adapter
    guard let identity = await mirror.tree.device(at: link.device.path)?.address else {
      throw PairingError.linkLost
    }
    step(.removingOldKeys(identity))
    for twin in await mirror.tree.devices(with: identity) where twin.adapter == adapter {
      try await removeBond(of: twin)
    }
    link.begin(anewWith: try await findAgain(link.device, step))
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
    guard await !mirror.tree.isConnected(device.path) else { return }
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

  /// Somebody else is connecting to it, a gateway that runs for instance. The kernel gives an attempt 40 s.
  private func awaitForeignAttempt(_ device: Device1) async throws {
    guard try await mirror.holds(within: .seconds(45), { $0.isConnected(device.path) }) else {
      throw PairingError.notConnected("another attempt is going on, and comes to nothing")
    }
  }

  /// The services are there, or the link is not.
  private func resolve(_ device: Device1) async throws {
    // The answer to Connect may overtake the signal of the link.
    _ = try await mirror.holds(within: Self.overtaking) { $0.isConnected(device.path) }
    let resolved = try await mirror.wait(upTo: Self.resolving) { tree -> Bool? in
      guard let now = tree.device(at: device.path), now.isConnected else { return false }
      return now.areServicesResolved ? true : nil
    }
    guard let resolved else { throw PairingError.servicesNotResolved }
    guard resolved else { throw PairingError.linkLost }
  }

  func measurement(of device: Device1) async throws -> GattCharacteristic1 {
    guard
      let measurement = await mirror.tree.characteristic(
        .heartRateMeasurement, in: .heartRate, of: device.path),
      measurement.canNotify
    else { throw PairingError.noMeasurement }
    return measurement
  }
}

extension ObjectTree {
  fileprivate func isConnected(_ device: ObjectPath) -> Bool { self.device(at: device)?.isConnected == true }

  func isPaired(_ device: ObjectPath) -> Bool { self.device(at: device)?.isPaired == true }

  /// The adapter knows the identity of a device by another one too, and has a bond with that.
  func hasPairedTwin(_ path: ObjectPath) -> Bool {
    guard let device = device(at: path) else { return false }
    return devices(with: device.address).contains {
      $0.path != path && $0.adapter == device.adapter && $0.isPaired
    }
  }

  /// Somebody has subscribed to its measurements, as bluetoothd tells.
  func isFollowed(_ device: ObjectPath) -> Bool { followedMeasurement(of: device) != nil }

  /// Where somebody has subscribed to its measurements, as bluetoothd tells.
  func followedMeasurement(of device: ObjectPath) -> ObjectPath? {
    characteristic(.heartRateMeasurement, in: .heartRate, of: device).flatMap {
      $0.isNotifying ? $0.path : nil
    }
  }
}

extension Error {
  /// A link that is not encrypted as agreed is closed at once, and bluetoothd does not say why.
  fileprivate var mayBeTheBonds: Bool {
    if let error = self as? BlueZError {
      return error.meaning == .connectFailed || error.meaning == .bondLost
    }
    return self as? PairingError == .linkLost
  }
}
