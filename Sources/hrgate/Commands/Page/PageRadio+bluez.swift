import BlueZ
import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthPage
import HealthSystem

extension PageRadio {
  /// So long somebody on the page listens at a time.
  private static let listening = Duration.seconds(30)

  /// bluetoothd, by the code of `hrgate scan`, `pair` and `forget`.
  ///
  /// - Parameters:
  ///   - choice: Which store the page shows where nobody is named.
  ///   - adapter: `nil` for any.
  init(_ choice: StoreChoice, adapter: BluetoothAddress?) {
    self.init(
      hear: { place, tell in
        try await RadioFailure.explaining {
          let pairing = MonitorPairing(
            MonitorRegistry(place.store), radio: BlueZRadio(adapter: adapter))
          try await pairing.scan(for: Self.listening) { seen in tell(seen.map(HeardMonitor.init)) }
        }
      },
      enrol: { place, wish, talk in
        try await RadioFailure.explaining {
          let pairing = try MonitorPairing(
            choice.turned(to: place.person), MonitorRegistry(place.store), adapter: adapter)
          let paired = try await pairing.pair(
            wish.monitor, bonding: wish.bonds ? .preferred : .none, dialogue: PagePairingDialogue(talk: talk)
          ) { talk.tell($0.text) }
          return KnownMonitor(
            address: paired.monitor.address.description, name: paired.monitor.name, person: paired.person)
        }
      },
      forget: { place, address, tell in
        try await RadioFailure.explaining {
          let registry = MonitorRegistry(place.store)
          let enrolled = try await registry.monitors().first { $0.address.description == address }
          guard let enrolled else { throw Failure("\(address) is not enrolled here") }
          try await MonitorPairing(registry).forget(enrolled.address, isForAll: false, tell: tell)
        }
      })
  }
}

extension StoreChoice {
  /// That of somebody who is named on the page; the same where nobody is.
  /// - Throws: `ConfigurationFault`; ``Failure`` for a person that there is not.
  fileprivate func turned(to person: String?) throws -> StoreChoice {
    guard let person else { return self }
    let wanted = try PersonFault.told { () throws(PersonFault) in try PersonName(person) }
    if wanted.isOwner { return .owner(file: try Self.owners, isNamed: true) }
    return .person(wanted)
  }
}

extension RadioFailure {
  /// The result of the work; what it throws, as the sentence that a command ends with.
  fileprivate static func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch let error as CancellationError {
      throw error
    } catch let error as any LocalizedError {
      throw RadioFailure(error.errorDescription ?? "\(error)")
    } catch {
      throw RadioFailure("\(error)")
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

/// Asks whoever pairs on the page.
private struct PagePairingDialogue: PairingDialogue {
  let talk: PairingTalk

  func requestPasskey() async -> UInt32? { await talk.passkey() }
  func confirm(passkey: UInt32) async -> Bool { await talk.isSame(passkey) }
  func show(passkey: UInt32) async { talk.show(passkey) }
}
