import Bluetooth
import BluetoothCentral
import DBus

/// Monitors without a link: searched for, left to the kernel, and helped by a call now and then.
extension FollowingMachine {
  mutating func reconcile(_ address: BluetoothAddress, unlinked known: [Device1]) {
    if let obstacle {
      links[address]?.attempt = nil
      return set(obstacle.state, address)
    }
    let candidates = known.filter { isUsable($0.adapter) }
    guard !candidates.isEmpty else {
      links[address]?.attempt = nil
      return set(.searching, address)
    }
    if let attempt = links[address]?.attempt { return watch(attempt, of: address) }
    if links[address]?.state?.isAboutTheMonitor != true { set(.away, address) }
    guard let link = links[address], link.nextAttempt <= now else { return }
    guard let device = choose(among: candidates, for: link) else { return }
    guard !isConnecting(by: device.adapter), !isDiscovering(by: device.adapter),
      !isDiscoveryNext(by: device.adapter, before: link.nextAttempt)
    else { return }
    connect(device, address)
  }

  /// A bond is with one adapter: another can only connect without it. Then the adapter of the last link, then the one that hears it best.
  private func choose(among devices: [Device1], for link: MonitorLink) -> Device1? {
    let bonded = devices.filter(\.isPaired)
    return (bonded.isEmpty ? devices : bonded).min { lhs, rhs in
      rank(lhs, link) != rank(rhs, link)
        ? rank(lhs, link) < rank(rhs, link) : (lhs.rssi ?? .min) > (rhs.rssi ?? .min)
    }
  }

  /// An adapter that has just failed comes last, so that several take turns.
  /// One that the kernel is kept from comes first: our Connect ends that.
  private func rank(_ device: Device1, _ link: MonitorLink) -> Int {
    if link.keptFromKernel.contains(device.path) { return -1 }
    if device.adapter == link.lastFailedAdapter { return 2 }
    return tree.adapter(at: device.adapter)?.address == link.preferredAdapter ? 0 : 1
  }

  private mutating func connect(_ device: Device1, _ address: BluetoothAddress) {
    links[address]?.attempt = MonitorLink.Attempt(device: device.path, adapter: device.adapter, since: now)
    links[address]?.keptFromKernel.remove(device.path)
    if !device.isTrusted, links[address]?.state != .bondLost {
      // bluetoothd lets the kernel connect again after a Disconnect only for a trusted device.
      callOnly(.setTrusted(device: device.path, true))
    }
    let id = call(.connect(device: device.path), for: .connect(address, device.adapter))
    links[address]?.attempt?.call = id
    if links[address]?.state?.isAboutTheMonitor != true { set(.connecting, address) }
  }

  /// An attempt is under way. Ours is cancelled when it has lasted too long; somebody else's is waited for, and then cleared away.
  private mutating func watch(_ attempt: MonitorLink.Attempt, of address: BluetoothAddress) {
    guard now >= attempt.since + limit(of: attempt) else { return }
    if attempt.isCancelled {
      // Neither outcome came: bluetoothd owes an answer that it will not give.
      links[address]?.attempt = nil
      return retryLater(address)
    }
    links[address]?.attempt?.isCancelled = true
    links[address]?.attempt?.since = now
    callOnly(.disconnect(device: attempt.device))
  }

  private func limit(of attempt: MonitorLink.Attempt) -> Duration {
    attempt.isForeign ? policy.foreignAttempt : policy.connectAttempt
  }

  /// The answer to Connect. A success says little: the link shows in the tree, or it does not.
  mutating func takeConnect(_ answer: BlueZAnswer, to id: CallID, _ address: BluetoothAddress) {
    // Not the answer to an attempt before this one.
    guard let attempt = links[address]?.attempt, attempt.call == id, !attempt.isForeign else { return }
    guard case .failed(let error) = answer else {
      links[address]?.attempt = nil
      // bluetoothd may have said so already, and the link may be gone again.
      if links[address]?.device == nil { links[address]?.nextAttempt = now + policy.firstRetry }
      return
    }
    switch error.meaning {
    case .inProgress:
      links[address]?.attempt?.isForeign = true
      links[address]?.attempt?.since = now
      return
    case .alreadyDone:
      links[address]?.attempt = nil
      links[address]?.nextAttempt = now + policy.firstRetry
      return
    case .bondLost:
      set(.bondLost, address, detail: error.description)
    case .connectFailed:
      noteQuickFailure(address, attempt, error)
    default:
      links[address]?.detail = error.description
    }
    let hasOthers = usableAdapters.count > 1
    links[address]?.lastFailedAdapter = hasOthers ? attempt.adapter : nil
    links[address]?.attempt = nil
    retryLater(address)
  }

  /// bluetoothd 5.66 says of a lost bond what it says of an absent monitor. But an absent one makes an attempt last.
  private mutating func noteQuickFailure(
    _ address: BluetoothAddress, _ attempt: MonitorLink.Attempt, _ error: BlueZError
  ) {
    guard !attempt.isCancelled, now - attempt.since < policy.quickFailure else {
      // It is away, which says nothing against the bond, and makes what was before a row no more.
      links[address]?.quickFailures = 0
      return
    }
    suspectBond(address, attempt.device, error.description)
  }

  /// A link, or an attempt at one, ended as soon as it had begun. So many in a row, with a bond, are the bond's fault: one side
  /// has lost the keys, and the other closes each link that it cannot encrypt.
  mutating func suspectBond(_ address: BluetoothAddress, _ device: ObjectPath, _ detail: String) {
    guard tree.device(at: device)?.isPaired == true, countQuickFailure(address) else { return }
    set(.bondLost, address, detail: detail)
    keepKernel(from: device, address)
  }

  /// A link ended as soon as it had begun. Without a bond, so many in a row are the monitor's fault.
  mutating func noteShortLink(_ address: BluetoothAddress, _ device: ObjectPath) {
    guard tree.device(at: device)?.isPaired != true else {
      return suspectBond(address, device, "each link ends before it is encrypted")
    }
    // What is wrong with it is known, and told.
    guard links[address]?.state?.isAboutTheMonitor != true, countQuickFailure(address) else { return }
    let restUntil = now + nextDelay(of: \.restBackOff, of: address)
    links[address]?.restUntil = restUntil
    links[address]?.quickFailures = 0
    set(.away, address, detail: "each link ends as soon as it stands")
    keepKernel(from: device, address)
  }

  /// The kernel would go on, several times a second. It stops for a device that is told to disconnect while it is not trusted, and begins
  /// again with the next Connect to one that is.
  private mutating func keepKernel(from device: ObjectPath, _ address: BluetoothAddress) {
    links[address]?.keptFromKernel.insert(device)
    callOnly(.setTrusted(device: device, false))
    callOnly(.disconnect(device: device))
  }

  /// - Returns: So many in a row are no chance.
  private mutating func countQuickFailure(_ address: BluetoothAddress) -> Bool {
    guard let link = links[address] else { return false }
    let isNewRow =
      link.quickFailures == 0 || link.firstQuickFailure.map { now - $0 > policy.quickFailuresWithin } ?? true
    links[address]?.quickFailures = isNewRow ? 1 : link.quickFailures + 1
    if isNewRow { links[address]?.firstQuickFailure = now }
    return !isNewRow && link.quickFailures + 1 >= policy.quickFailuresInARow
  }

  mutating func retryLater(_ address: BluetoothAddress) {
    guard let link = links[address] else { return }
    let delay = nextDelay(of: \.backOff, of: address)
    let nextAttempt = now + min(delay, longestRetry(of: link))
    links[address]?.nextAttempt = nextAttempt
    if link.state?.isAboutTheMonitor != true { set(.away, address) }
  }

  /// Attempts may become rare where the kernel connects by itself: by an adapter that has our GattProfile1 and on which no discovery of
  /// somebody else's stays open, and not to a monitor that it is kept from for its lost bond.
  private func longestRetry(of link: MonitorLink) -> Duration {
    if link.state == .bondLost { return policy.recheck }
    let isHelped = usableAdapters.contains {
      duties[$0.path]?.registration == .done && (!$0.isDiscovering || isDiscovering(by: $0.path))
    }
    return isHelped ? policy.longestRetry : policy.longestRetryAlone
  }
}

extension FollowState {
  /// It stays until a link proves the contrary, whatever is tried meanwhile.
  var isAboutTheMonitor: Bool {
    switch self {
    case .bondLost, .pairingNeeded, .staleCache, .takenByAnother, .unusable: true
    default: false
    }
  }
}
