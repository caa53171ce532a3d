import Bluetooth
import Gateway
import HealthKit
import HealthSystem
import StrapSimulator

/// The straps of `hrgate run --simulate`, and their pairing in a store.
struct SimulatedRun: Sendable {
  static let counts = 1...20

  let straps: [StrapProfile]
  /// The straps that are enrolled at the start. The others can be paired on the page.
  let worn: Int
  let seed: UInt64

  /// The radio that finds the straps.
  var radio: SimulatedRadio { SimulatedRadio(straps: straps) }

  init(_ straps: [StrapProfile], worn: Int, seed: UInt64) {
    self.straps = straps
    self.worn = worn
    self.seed = seed
  }

  init(count: Int, seed: UInt64 = .random(in: 0...UInt64.max)) {
    self.init((0..<count).map { .live(index: $0, seed: seed) }, worn: count, seed: seed)
  }

  /// Enrolls the straps in a store, and forgets those of earlier simulations.
  /// - Throws: ``CommandError`` if the store has a real monitor; `HKError`; an error of pairing.
  func enroll(in file: String) async throws {
    try StoreCare.refuseDamaged(file)
    let registry = try MonitorRegistry(StoreOptions.open(file))
    let enrolled = try await registry.monitors()
    if let monitor = enrolled.first(where: { !StrapProfile.isSample($0.address) }) {
      throw CommandError(
        """
        the store has a real monitor (\((monitor.name ?? monitor.address.description).plain)), and simulated heart rates would mix \
        with measured ones; choose another store: hrgate run --simulate \(worn) --store demo.sqlite
        """)
    }
    let wanted = straps.prefix(worn).map(\.address)
    for monitor in enrolled where !wanted.contains(monitor.address) {
      try await registry.forget(monitor.address)
    }
    let pairing = MonitorPairing(registry, radio: radio)
    for address in wanted { _ = try await pairing.pair(address.description, bonding: .none) }
  }

  /// Returns a gateway that follows the straps.
  func makeGateway(
    _ choice: StoreChoice, policy: LivePolicy, accompany: @escaping MultiUserGateway.Accompanying
  ) -> MultiUserGateway {
    MultiUserGateway(
      person: choice.person?.text, policy: policy, accompany: accompany,
      central: { [straps, seed] in SimulatedStraps(straps, seed: seed, on: $0) },
      openOwners: { [file = choice.file] in
        try StoreCare.refuseDamaged(file)
        return try MonitorRegistry(StoreOptions.open(file))
      })
  }
}
