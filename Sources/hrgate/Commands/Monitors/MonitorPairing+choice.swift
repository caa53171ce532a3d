import BlueZ
import Bluetooth
import Gateway
import HealthKit
import Ingestion
import StrapSimulator

extension MonitorPairing {
  /// Pairs and forgets monitors in the store chosen by an option, the settings or the page.
  ///
  /// A monitor of another person stays theirs unless a person is named: heartbeats of two people in one store
  /// cannot be separated later.
  ///
  /// - Parameters:
  ///   - registry: The registry of the store.
  ///   - adapter: `nil` for any adapter.
  /// - Throws: `ConfigurationError`; ``CommandError``.
  init(_ choice: StoreChoice, _ registry: MonitorRegistry, adapter: BluetoothAddress? = nil) throws {
    try self.init(choice, registry, radio: BlueZRadio(adapter: adapter))
  }

  /// Pairs and forgets monitors with the given radio, which replaces that of bluetoothd.
  init(_ choice: StoreChoice, _ registry: MonitorRegistry, radio: any PairingRadio) throws {
    let isOwnerByDefault = if case .owner(file: _, isNamed: false) = choice { true } else { false }
    self.init(
      registry, of: choice.person?.text, others: try PersonStore.others(beside: choice),
      takesOver: !isOwnerByDefault, radio: radio)
  }

  /// Forgets a monitor and reports what the user should know.
  ///
  /// - Throws: `HKError`; ``CommandError`` if the bond remains.
  func forget(_ address: BluetoothAddress, isForAll: Bool, report: (String) -> Void) async throws {
    do {
      let bond = try await forget(address, isForAll: isForAll) { monitor in
        guard let options = monitor.settings.options else { return }
        report("Its settings (\(options)) were removed too. Set them again with: hrgate monitors set")
      }
      switch bond {
      case .removed, .notKnown: break
      // bluetoothd never knew a simulated strap.
      case .unavailable where StrapProfile.isSample(address): break
      case .leftToOthers: report(Self.leftToOthers(address.description))
      case .unavailable(let reason):
        report("\(reason) bluetoothd keeps the bond until you run: hrgate forget \(address)")
      }
    } catch let error as BondRemovalError where error.reason is NotifyAcquiredError {
      throw CommandError(
        "\(address) was removed from hrgate, but bluetoothd still has its bond (try again with: hrgate forget \(address)). \(error.reason)"
      )
    } catch let error as BondRemovalError {
      throw CommandError("\(error). Try again: hrgate forget \(address)")
    }
  }

  static func leftToOthers(_ address: String) -> String {
    "Another program on this machine is connected to the monitor, so bluetoothd keeps its bond. To remove it for all: hrgate forget \(address) --for-all"
  }
}

extension PairingEvent {
  /// The event as a sentence for the user.
  var text: String {
    switch self {
    case .step(.searching): "looking for the monitor …"
    case .step(.connecting(let address, let name)):
      "connecting to \(name.map { "\($0.plain), " } ?? "")\(address) …"
    case .step(.resolving): "reading its services …"
    case .step(.removingBond(let address)):
      "\(address) closes each link at once, as if it had lost its bond. Removing the bond here to make a new one …"
    case .step(.removingOldKeys(let address)):
      "\(address) has new keys, but bluetoothd also has older ones. Removing all of them here to pair again …"
    case .step(.pairing): "pairing …"
    case .step(.reading): "reading its device information …"
    case .notBonded(let reason): "no bond was made, so the connection is not encrypted: \(reason)"
    case .privateAddress(let address, let bonding):
      "\(address) is a private address that changes regularly; after a change the monitor is not recognized and must be paired again"
        + (bonding == .none
          ? ". A bond makes it recognizable if the monitor sends its identity: leave out --no-bond." : ".")
    case .keptPerson(let address, let person):
      "\(address) belongs to \((person ?? "owner").plain) and keeps recording for them; to record it for yourself: hrgate pair \(address) --person owner"
    case .changedPerson(let address, let former, let person):
      "\(address) belonged to \(former.map { $0?.plain ?? "the owner" }.joined(separator: " and ")) until now. Earlier measurements stay there; new ones go to \(person?.plain ?? "the owner")"
    case .replaced(let former, let address):
      "the monitor was stored with its private address \(former); its identity address \(address) replaces it"
    }
  }
}
