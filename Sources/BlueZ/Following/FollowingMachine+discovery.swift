import Bluetooth
import DBus

/// Discovery of monitors that bluetoothd does not know. During a discovery the kernel does not auto-connect,
/// and existing connections are disturbed. So each discovery is short, ends once all monitors are found, and
/// does not start during an attempt to connect.
extension FollowingMachine {
  var isSearching: Bool { monitors.all.contains { $0.state == .searching } }

  /// Whether this program has started a discovery, or may have.
  func isDiscovering(by adapter: ObjectPath) -> Bool {
    duties[adapter]?.discovery != AdapterDuty.Discovery.none
      || purposes.values.contains(.startDiscovery(adapter))
  }

  /// Whether a discovery is due now, and became due before `time`. If so, it runs before a connection attempt
  /// that is due at `time`.
  func isDiscoveryNext(by adapter: ObjectPath, before time: BootTime) -> Bool {
    guard isSearching, let due = duties[adapter]?.nextDiscovery else { return false }
    return due <= now && due < time
  }

  mutating func reconcileDiscoveries() {
    for adapter in usableAdapters.map(\.path) {
      guard let duty = duties[adapter] else { continue }
      switch duty.discovery {
      case .running(let since) where !isSearching || since + policy.discoveryWindow <= now:
        hintAtUnheard()
        stopDiscovery(by: adapter)
      case .none where isSearching && duty.nextDiscovery <= now && !isConnecting(by: adapter):
        duties[adapter]?.discovery = .starting
        // Do not filter by service: a monitor may not advertise it. The address is enough.
        call(.setDiscoveryFilter(adapter: adapter, DiscoveryFilter()), for: .filter(adapter))
      default:
        break
      }
    }
  }

  /// Reports a monitor that a discovery did not find. Without a bond, its address may have changed. A device
  /// with the same name may be this monitor, or another person's monitor of the same model.
  private mutating func hintAtUnheard() {
    for address in monitors.addresses where monitors[address]?.state == .searching {
      let namesakes = tree.devices.filter { device in
        device.rssi != nil && device.name != nil && device.name == monitors[address]?.name
          && monitors[device.address] == nil
          && (device.hasHeartRateService || device.looksLikeHeartRateSensor)
      }
      set(.searching, address, detail: Self.hint(at: namesakes.map(\.address), for: address))
    }
  }

  private static func hint(at namesakes: [BluetoothAddress], for address: BluetoothAddress) -> String {
    let heard =
      switch namesakes.count {
      case 0: "show nearby monitors: hrgate scan"
      case 1: "a monitor with its name was found as \(namesakes[0])"
      case let count: "\(count) monitors with its name were found, perhaps of other people: hrgate scan"
      }
    let new = namesakes.count == 1 ? "\(namesakes[0])" : "NEW-ADDRESS"
    return
      "it was not found; \(heard). If yours has a new address: hrgate forget \(address); hrgate pair \(new)"
  }

  private mutating func stopDiscovery(by adapter: ObjectPath) {
    guard var duty = duties[adapter] else { return }
    duty.discovery = .stopping
    duties[adapter] = duty
    call(.stopDiscovery(adapter: adapter), for: .stopDiscovery(adapter))
  }

  mutating func filterAnswered(_ reply: BlueZReply, at adapter: ObjectPath) {
    guard duties[adapter]?.discovery == .starting else { return }
    if case .failed = reply { return pauseDiscovery(by: adapter) }
    call(.startDiscovery(adapter: adapter), for: .startDiscovery(adapter))
  }

  mutating func startDiscoveryAnswered(_ reply: BlueZReply, at adapter: ObjectPath) {
    guard duties[adapter]?.discovery == .starting else {
      // The adapter was removed and added again, so its `AdapterDuty` is new and does not know of the
      // discovery that this call may have started.
      if reply.mayHaveBegun { stopDiscovery(by: adapter) }
      return
    }
    switch reply {
    // bluetoothd may start the discovery later. Stop it, because a discovery disturbs connections.
    case .failed(let error) where error.meaning == .noAnswer: stopDiscovery(by: adapter)
    // InProgress means that this program already has a discovery.
    case .failed(let error) where error.meaning != .inProgress: pauseDiscovery(by: adapter)
    default: duties[adapter]?.discovery = .running(since: now)
    }
  }

  mutating func pauseDiscovery(by adapter: ObjectPath) {
    guard var duty = duties[adapter] else { return }
    duty.discovery = .none
    if !isSearching {
      duty.discoveryBackOff.reset()
      duty.nextDiscovery = now
    } else {
      duty.nextDiscovery = now + duty.discoveryBackOff.delay(random: random())
    }
    duties[adapter] = duty
  }
}

extension BlueZReply {
  /// Whether bluetoothd may have started the discovery, even if its reply was lost.
  fileprivate var mayHaveBegun: Bool {
    if case .failed(let error) = self { error.meaning == .noAnswer } else { true }
  }
}
