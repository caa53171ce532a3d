import BlueZ
import Bluetooth
import Gateway

/// Makes a monitor known, for whoever asks: `hrgate pair`, or somebody on the page.
struct MonitorEnrolment: Sendable {
  /// Whose it is to be.
  let choice: StoreChoice
  /// `nil` for any.
  let adapter: BluetoothAddress?
  let bonding: Bonding
  /// That of the store that was chosen.
  let registry: MonitorRegistry
  /// Gets what is done now, and what is to be known, as sentences.
  let tell: @Sendable (String) -> Void

  struct Enrolled {
    let monitor: EnrolledMonitor
    let registry: MonitorRegistry
    /// Whose it is; `nil` for the owner's.
    let person: String?
  }

  /// Finds it, pairs with it and asks what it is. Nothing is kept yet.
  ///
  /// - Parameter monitor: Its address, or its name.
  /// - Throws: `EnrolmentFailure`, `NotifyAcquiredError`, `BlueZUnavailable`, `BlueZError`, `CancellationError`.
  func meet(_ monitor: String, _ dialogue: any PairingDialogue) async throws -> MonitorFacts {
    try await BlueZHost.with(adapter: adapter) { host in
      try await host.enrol(monitor, bonding: bonding, dialogue: dialogue) { tell($0.text) }
    }
  }

  /// Keeps what was found, where it belongs.
  /// - Throws: ``Failure``; `HKError`.
  func keep(_ facts: MonitorFacts) async throws -> Enrolled {
    if let refusal = facts.bondRefusal { tell("there is no bond: \(refusal)") }
    if facts.address.isPrivate {
      tell(
        "\(facts.address) is a private address, which changes by itself: then the monitor is not recognised, and has to be paired again"
          + (bonding == .none
            ? ". With a bond it is recognised, if it tells its identity: leave out --no-bond." : "."))
    }
    let now = SystemClocks.now().wall
    var enrolled = EnrolledMonitor(
      address: facts.address, name: facts.name, isBonded: facts.isBonded, enrolled: now)
    enrolled.learn(facts.values.map { ($0.characteristic, $0.value) })
    enrolled.battery = facts.battery
    enrolled.lastSeen = now
    enrolled.adapter = facts.adapter
    let place = try await MonitorPlace(of: facts.address, wanted: choice, in: registry)
    if let notice = place.notice { tell(notice) }
    try await place.enrol(enrolled)
    if let former = facts.privateAddress, let monitor = try await place.registry.monitor(former) {
      try await place.registry.adopt(monitor.settings, of: facts.address)
      try await place.registry.forget(former)
      tell("it was enrolled as \(former), a private address of it; \(facts.address) takes its place")
    }
    return Enrolled(
      monitor: try await place.registry.monitor(facts.address) ?? enrolled, registry: place.registry,
      person: place.person)
  }
}

extension BlueZHost.EnrolmentStep {
  fileprivate var text: String {
    switch self {
    case .searching: "looking for the monitor …"
    case .connecting(let address, let name): "connecting to \(name.map { "\($0.plain), " } ?? "")\(address) …"
    case .resolving: "reading its services …"
    case .removingBond(let address):
      "\(address) closes each link at once, as one that has lost its bond. The bond is removed here, to make a new one …"
    case .removingOldKeys(let address):
      "\(address) has new keys, and bluetoothd knows it by older ones too. All are removed here, to pair once more …"
    case .pairing: "pairing …"
    case .reading: "reading what it says of itself …"
    }
  }
}
