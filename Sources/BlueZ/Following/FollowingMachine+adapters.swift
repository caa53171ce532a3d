import Bluetooth
import DBus

/// The adapters: registration of the GATT profile, and discoveries.
extension FollowingMachine {
  /// The adapters that the user allows, whether on or off.
  private var allowedAdapters: [Adapter1] {
    tree.adapters.filter { $0.isMeant(by: onlyAdapter) }
  }

  /// The allowed adapters that are switched on.
  var usableAdapters: [Adapter1] { allowedAdapters.filter(\.isPowered) }

  func isUsable(_ path: ObjectPath) -> Bool {
    tree.adapter(at: path).map { $0.isPowered && $0.isMeant(by: onlyAdapter) } ?? false
  }

  /// The reason why no monitor can be reached at all, for example because the adapter is off; `nil` if an
  /// adapter is usable.
  var blocker: (state: FollowState, cause: GapCause)? {
    if let accessFailure { return (accessFailure.state, accessFailure.cause) }
    if isBusOpen == false { return (.busAbsent, .busAbsent) }
    if isDaemonPresent == false { return (.daemonAbsent, .daemonAbsent) }
    if !usableAdapters.isEmpty { return nil }
    guard let adapter = allowedAdapters.first else { return (.adapterAbsent, .adapterAbsent) }
    return (adapter.isBlocked ? .adapterBlocked : .adapterOff, .adapterOff)
  }

  mutating func reconcileAdapters() {
    let usable = Set(usableAdapters.map(\.path))
    for path in duties.keys where !usable.contains(path) {
      duties[path] = nil
      for address in monitors.addresses { monitors.update(address) { $0.loseAdapter(path, now: now) } }
      for address in monitors.addresses where monitors[address]?.attempt?.adapter == path {
        monitors.update(address) { $0.endAttempt() }
      }
    }
    for path in usable.sorted(by: { $0.rawValue < $1.rawValue }) {
      if duties[path] == nil {
        duties[path] = AdapterDuty(
          since: now, nextDiscovery: now,
          discoveryBackOff: BackOff(
            first: policy.firstDiscoveryPause, longest: policy.longestDiscoveryPause))
        // Connect at once, because the new adapter may reach monitors that the others do not.
        for address in monitors.addresses where monitors[address]?.state != .bondLost {
          monitors.update(address) { $0.nextAttempt = now }
        }
      }
      register(at: path)
    }
  }

  /// Registers the GATT profile, so that the kernel connects to monitors known to bluetoothd
  /// (``HeartRateProfile``).
  private mutating func register(at adapter: ObjectPath) {
    switch duties[adapter]?.registration {
    case .failed(let again) where again <= now: break
    case .some(.none): break
    default: return
    }
    guard hasGattManager(adapter) else { return }
    duties[adapter]?.registration = .requested
    call(.registerApplication(adapter: adapter, root: applicationRoot), for: .register(adapter))
  }

  func hasGattManager(_ adapter: ObjectPath) -> Bool {
    tree.properties(BlueZInterface.gattManager, at: adapter) != nil
  }

  mutating func registerAnswered(_ reply: BlueZReply, at adapter: ObjectPath) {
    switch reply {
    case .failed(let error) where error.meaning != .alreadyDone:
      // Without the profile, only Connect calls make links. That works, but takes longer.
      duties[adapter]?.registration = .failed(now + policy.recheck)
    default:
      duties[adapter]?.registration = .done
    }
  }

  /// Whether an adapter is making a connection; it can make only one at a time. The attempt may be another
  /// client's, or a Connect whose result is no longer needed, for example because the monitor is no longer
  /// followed.
  func isConnecting(by adapter: ObjectPath) -> Bool {
    monitors.all.contains { $0.attempt?.adapter == adapter }
      || purposes.values.contains {
        if case .connect(_, let attempt) = $0 { attempt.device.parent == adapter } else { false }
      }
  }
}
