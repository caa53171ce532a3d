import BlueZ
import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthPage
import HealthSystem

extension PageRadio {
  /// Duration of one scan from the page.
  private static let listening = Duration.seconds(30)

  /// Scans, pairs and forgets with the same code as `hrgate scan`, `pair` and `forget`.
  ///
  /// - Parameters:
  ///   - choice: The store of the page if the request names no person.
  ///   - adapter: `nil` for any adapter.
  ///   - radio: The radio to use instead of bluetoothd's; `nil` for bluetoothd's.
  init(_ choice: StoreChoice, adapter: BluetoothAddress?, radio: (any PairingRadio)? = nil) {
    let radio = radio ?? BlueZRadio(adapter: adapter)
    self.init(
      hear: { target, report in
        try await RadioError.explaining {
          let pairing = MonitorPairing(MonitorRegistry(target.store), radio: radio)
          try await pairing.scan(for: Self.listening) { seen in report(seen.map(HeardMonitor.init)) }
        }
      },
      enrol: { target, wish, talk in
        try await RadioError.explaining {
          let pairing = try MonitorPairing(
            choice.turned(to: target.person), MonitorRegistry(target.store), radio: radio)
          let paired = try await pairing.pair(
            wish.monitor, bonding: wish.bonds ? .preferred : .none, dialogue: PagePairingDialogue(talk: talk)
          ) { talk.report($0.text) }
          return KnownMonitor(
            address: paired.monitor.address.description, name: paired.monitor.name, person: paired.person)
        }
      },
      forget: { target, address, report in
        try await RadioError.explaining {
          let registry = MonitorRegistry(target.store)
          let enrolled = try await registry.monitors().first { $0.address.description == address }
          guard let enrolled else {
            throw CommandError("hrgate has no monitor \(address) in this store; reload the page")
          }
          let pairing = MonitorPairing(registry, radio: radio)
          try await pairing.forget(enrolled.address, isForAll: false, report: report)
        }
      })
  }
}

extension StoreChoice {
  /// Returns the store of the person in a request, or this store if the request names no person.
  /// - Throws: `ConfigurationError`; ``CommandError`` if the person does not exist.
  fileprivate func turned(to person: String?) throws -> StoreChoice {
    guard let person else { return self }
    let wanted = try PersonError.translating { () throws(PersonError) in try PersonName(person) }
    if wanted.isOwner { return .owner(file: try Self.owners, isNamed: true) }
    return .person(wanted)
  }
}

extension RadioError {
  /// Returns the result of `work`; converts its errors to the message that a command would print.
  fileprivate static func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch let error as CancellationError {
      throw error
    } catch let error as any LocalizedError {
      throw RadioError(error.errorDescription ?? "\(error)")
    } catch {
      throw RadioError("\(error)")
    }
  }
}

extension HeardMonitor {
  fileprivate init(_ seen: SeenPeripheral) {
    self.init(
      address: seen.address.description, name: seen.name, rssi: seen.rssi, isEnrolled: seen.isEnrolled,
      isPaired: seen.isPaired, isPrivate: seen.address.isPrivate)
  }
}

/// Asks the user of the page.
private struct PagePairingDialogue: PairingDialogue {
  let talk: PairingCallbacks

  func requestPasskey() async -> UInt32? { await talk.passkey() }
  func confirm(passkey: UInt32) async -> Bool { await talk.isSame(passkey) }
  func show(passkey: UInt32) async { talk.show(passkey) }
}
