import BlueZ
import Bluetooth
import Gateway
import HealthKit
import Ingestion

extension MonitorPairing {
  /// Pairs and forgets monitors in a store that an option, the settings or the page chose.
  ///
  /// A monitor of another person stays theirs unless a person is named: two people's heartbeats in one store
  /// cannot be told apart later.
  ///
  /// - Parameters:
  ///   - registry: That of the store.
  ///   - adapter: `nil` for any.
  /// - Throws: `ConfigurationFault`; ``Failure``.
  init(_ choice: StoreChoice, _ registry: MonitorRegistry, adapter: BluetoothAddress? = nil) throws {
    let isOwnerByDefault = if case .owner(file: _, isNamed: false) = choice { true } else { false }
    self.init(
      registry, of: choice.person?.text, others: try PersonStore.others(beside: choice),
      takesOver: !isOwnerByDefault, radio: BlueZRadio(adapter: adapter))
  }

  /// Forgets a monitor and reports what the user should know.
  ///
  /// - Throws: `HKError`; ``Failure`` if the bond remains.
  func forget(_ address: BluetoothAddress, isForAll: Bool, tell: (String) -> Void) async throws {
    do {
      let bond = try await forget(address, isForAll: isForAll) { monitor in
        guard let options = monitor.settings.options else { return }
        tell("Its settings (\(options)) were forgotten, too. hrgate monitors set declares them again.")
      }
      switch bond {
      case .removed, .notKnown: break
      case .leftToOthers: tell(Self.leftToOthers(address.description))
      case .unavailable(let reason):
        tell("\(reason) Until then bluetoothd remembers the monitor: hrgate forget \(address)")
      }
    } catch let error as BondRemovalError where error.reason is NotifyAcquiredError {
      throw Failure(
        "\(address) is no longer enrolled, but bluetoothd still remembers it, with its bond (hrgate forget \(address) tries again). \(error.reason)"
      )
    } catch let error as BondRemovalError {
      throw Failure("\(error). Try again: hrgate forget \(address)")
    }
  }

  static func leftToOthers(_ address: String) -> String {
    "Another program of this machine follows it, so bluetoothd keeps it, with its bond. To take it away from all: hrgate forget \(address) --for-all"
  }
}

extension PairingEvent {
  /// A sentence for the user.
  var text: String {
    switch self {
    case .step(.searching): "looking for the monitor …"
    case .step(.connecting(let address, let name)):
      "connecting to \(name.map { "\($0.plain), " } ?? "")\(address) …"
    case .step(.resolving): "reading its services …"
    case .step(.removingBond(let address)):
      "\(address) closes each link at once, as one that has lost its bond. The bond is removed here, to make a new one …"
    case .step(.removingOldKeys(let address)):
      "\(address) has new keys, and bluetoothd knows it by older ones too. All are removed here, to pair once more …"
    case .step(.pairing): "pairing …"
    case .step(.reading): "reading what it says of itself …"
    case .notBonded(let reason): "there is no bond: \(reason)"
    case .privateAddress(let address, let bonding):
      "\(address) is a private address, which changes by itself: then the monitor is not recognised, and has to be paired again"
        + (bonding == .none
          ? ". With a bond it is recognised, if it tells its identity: leave out --no-bond." : ".")
    case .keptPerson(let address, let person):
      "\(address) is \((person ?? "owner").plain)'s, and stays so: to make it the owner's, hrgate pair \(address) --person owner"
    case .changedPerson(let address, let former, let person):
      "\(address) was \(former.map { $0?.plain ?? "the owner" }.joined(separator: " and "))'s until now: what it measured stays there, and from now on it is \(person?.plain ?? "the owner")'s"
    case .replaced(let former, let address):
      "it was enrolled as \(former), a private address of it; \(address) takes its place"
    }
  }
}
