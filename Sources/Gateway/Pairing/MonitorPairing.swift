public import BlueZ
public import Bluetooth
import Foundation
import HealthKit
import Ingestion

/// Finds heart-rate monitors, pairs with them and removes them.
///
/// Pairing adds a monitor to one store (*enrolls* it). From then on, a ``HeartRateGateway`` that runs on the
/// store follows it:
///
/// ```swift
/// let pairing = MonitorPairing(registry)
/// try await pairing.scan(for: .seconds(10)) { monitors in print(monitors.map(\.address)) }
/// let paired = try await pairing.pair("Polar H10 12345678")
/// try await HeartRateGateway(registry).run()
/// ```
public struct MonitorPairing: Sendable {
  /// The store to which monitors are added.
  public let registry: MonitorRegistry
  /// The person to whom the store belongs; `nil` for the user of this account.
  public let person: String?
  private let others: [PersonStore]
  private let takesOver: Bool
  private let radio: any PairingRadio

  /// How long to wait until a running gateway stops following a monitor that is being removed.
  private static let releaseTimeout = Duration.seconds(15)

  /// - Parameters:
  ///   - person: The person to whom the store belongs; `nil` for the user of this account.
  ///   - others: The stores of other people. When a monitor is added to this store, it is removed from them.
  ///     Missing files are skipped.
  ///   - takesOver: Whether a monitor that is in one of `others` is moved to this store. If `false`, it stays
  ///     there and is only updated.
  ///   - radio: The radio to use, for example `SimulatedRadio` for simulated straps.
  public init(
    _ registry: MonitorRegistry, of person: String? = nil, others: [PersonStore] = [], takesOver: Bool = true,
    radio: any PairingRadio = BlueZRadio()
  ) {
    self.registry = registry
    self.person = person
    self.others = others
    self.takesOver = takesOver
    self.radio = radio
  }

  /// Searches for heart-rate monitors for `time`.
  ///
  /// Monitors that are already in the store are reported regardless of what they advertise.
  ///
  /// - Parameters:
  ///   - showsAll: Whether to report all devices, not only heart-rate monitors.
  ///   - report: Called a few times a second with all devices found so far, strongest signal first.
  /// - Throws: `HKError` if the store cannot be read; `BlueZUnavailableError` or `BlueZError`;
  ///   `CancellationError`.
  public func scan(
    for time: Duration, showsAll: Bool = false, report: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws {
    let enrolled = Set(try await registry.monitors().map(\.address))
    try await radio.scan(for: time, known: enrolled, showsAll: showsAll) { seen in
      report(
        seen.map { seen in
          var seen = seen
          seen.isEnrolled = enrolled.contains(seen.address)
          return seen
        })
    }
  }

  /// Pairs with a monitor and adds it to the store.
  ///
  /// Canceling the task ends the search and the pairing. If the pairing is already complete, the monitor is
  /// still added.
  ///
  /// - Parameters:
  ///   - monitor: An address or an advertised name.
  ///   - dialogue: Asks the user for confirmations and passkeys. The default rejects all requests.
  ///   - report: Called with each step and with notices for the user.
  /// - Throws: `PairingError`; `BlueZUnavailableError`, `BlueZError` or `NotifyAcquiredError`;
  ///   ``MonitorOwnershipError``; `HKError` if the store cannot be written to; `CancellationError`.
  public func pair(
    _ monitor: String, bonding: Bonding = .preferred, dialogue: any PairingDialogue = NoPairingDialogue(),
    report: @escaping @Sendable (PairingEvent) -> Void = { _ in }
  ) async throws -> PairedMonitor {
    let facts = try await radio.pair(monitor, bonding: bonding, dialogue: dialogue) { report(.step($0)) }
    // Not a child task, so that cancellation does not interrupt it: the bond exists, so the monitor must be
    // added.
    return try await Task { try await enroll(facts, bonding, report) }.value
  }

  private func enroll(
    _ facts: MonitorFacts, _ bonding: Bonding, _ report: (PairingEvent) -> Void
  ) async throws -> PairedMonitor {
    if let reason = facts.bondRefusal { report(.notBonded(reason: reason)) }
    if facts.address.isPrivate { report(.privateAddress(facts.address, bonding)) }
    let now = SystemClocks.now().wall
    var enrolled = EnrolledMonitor(
      address: facts.address, name: facts.name, isBonded: facts.isBonded, enrolled: now)
    enrolled.learn(facts.values)
    enrolled.battery = facts.battery
    enrolled.lastSeen = now
    enrolled.adapter = facts.adapter
    let holders = try await holders(of: facts.address)
    let store: MonitorHolder
    if !takesOver, holders.count == 1, let holder = holders.first {
      report(.keptPerson(facts.address, holder.person))
      store = holder
      try await store.registry.enrol(enrolled)
    } else {
      if !holders.isEmpty {
        report(.changedPerson(facts.address, from: holders.map(\.person), to: person))
      }
      store = MonitorHolder(person: person, registry: registry)
      try await store.registry.enrol(enrolled)
      for holder in holders { try await move(facts.address, from: holder) }
    }
    if let former = facts.privateAddress, let monitor = try await store.registry.monitor(former) {
      try await store.registry.adopt(monitor.settings, of: facts.address)
      try await store.registry.forget(former)
      report(.replaced(former: former, by: facts.address))
    }
    let monitor = try await store.registry.monitor(facts.address) ?? enrolled
    return PairedMonitor(monitor: monitor, person: store.person, registry: store.registry)
  }

  /// Removes a monitor that was added to this store from its previous store. Throws if that fails.
  private func move(_ address: BluetoothAddress, from holder: MonitorHolder) async throws {
    do {
      let settings = try await holder.registry.monitor(address)?.settings
      if let settings { try await registry.adopt(settings, of: address) }
      try await holder.registry.forget(address)
    } catch {
      _ = try? await registry.forget(address)
      throw MonitorOwnershipError.notMoved(address, reason: error.localizedDescription)
    }
  }

  /// Returns the other people's stores that contain a monitor.
  /// - Throws: ``MonitorOwnershipError`` if a store cannot be read.
  public func holders(of address: BluetoothAddress) async throws -> [MonitorHolder] {
    var holders: [MonitorHolder] = []
    for other in others where FileManager.default.fileExists(atPath: other.path) {
      do {
        let registry = try MonitorRegistry(at: .file(other.path))
        if try await registry.monitor(address) != nil {
          holders.append(MonitorHolder(person: other.person, registry: registry))
        }
      } catch {
        throw MonitorOwnershipError.unreadableStore(of: other.person, reason: error.localizedDescription)
      }
    }
    return holders
  }

  /// Removes a monitor from the store, and its bond from this host. Its samples stay in the store.
  ///
  /// A running gateway stops following it first, so that it does not reconnect.
  ///
  /// ```swift
  /// for monitor in try await registry.monitors(named: "Polar H10 12345678") {
  ///   print(try await pairing.forget(monitor.address))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - isForAll: Whether to remove the bond even if another program is subscribed to the monitor. The bond
  ///     is shared by all users of the machine.
  ///   - unenrolled: Called after the monitor was removed from the store and before its bond is removed.
  /// - Returns: What happened to the bond.
  /// - Throws: `HKError` if the store cannot be written to; ``BondRemovalError`` if the monitor was removed
  ///   from the store but its bond was not; `CancellationError`.
  @discardableResult
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool = false, unenrolled: (EnrolledMonitor) -> Void = { _ in }
  ) async throws -> BondRemoval {
    let monitor = try await registry.monitor(address)
    try await registry.forget(address)
    if let monitor { unenrolled(monitor) }
    let timeout = registry.hasGateway ? Self.releaseTimeout : .zero
    do {
      return BondRemoval(try await radio.forget(address, isForAll: isForAll, timeout: timeout))
    } catch let unavailable as BlueZUnavailableError {
      return .unavailable(unavailable)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw BondRemovalError(address: address, reason: error)
    }
  }

  /// Removes the bond of a monitor that is not in the store, for example if
  /// ``forget(_:isForAll:unenrolled:)`` could not remove it.
  ///
  /// - Throws: `BlueZUnavailableError`, `BlueZError` or `NotifyAcquiredError`; `CancellationError`.
  public func removeBond(of address: BluetoothAddress, isForAll: Bool = false) async throws -> BondRemoval {
    BondRemoval(try await radio.forget(address, isForAll: isForAll, timeout: .zero))
  }
}
