public import Bluetooth

/// Simulated straps that can be discovered and paired, for programs and tests without an adapter.
///
/// Like many heart-rate monitors, they do not support bonding. ``SimulatedCentral`` delivers their
/// measurements.
///
/// ```swift
/// let radio = SimulatedRadio(straps: [.sample(index: 0)])
/// let facts = try await radio.pair("Strap 1", bonding: .none, dialogue: NoPairingDialogue()) { step in
///   print(step)
/// }
/// print(facts.address, facts.battery ?? 0)
/// ```
public struct SimulatedRadio: PairingRadio {
  /// The straps that are in range.
  public let straps: [StrapProfile]

  /// The signal strength in dBm of a strap near the receiver.
  private static let rssi = -58
  private static let heartRateSensorBelt: UInt16 = 0x0341

  public init(straps: [StrapProfile]) { self.straps = straps }

  /// Reports each strap once and returns immediately.
  public func scan(
    for time: Duration, known: Set<BluetoothAddress>, showsAll: Bool,
    report: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws {
    report(
      straps.map { strap in
        var seen = SeenPeripheral(address: strap.address)
        seen.name = strap.name
        seen.rssi = Self.rssi
        seen.appearance = Self.heartRateSensorBelt
        seen.hasHeartRateService = true
        seen.looksLikeHeartRateSensor = true
        return seen
      })
  }

  /// Returns what pairing with a strap reads from it: its name, battery level and device information.
  ///
  /// - Throws: `PairingError`: `notFound`, `ambiguous`; `pairingFailed` if a bond is required.
  public func pair(
    _ monitor: String, bonding: Bonding, dialogue: any PairingDialogue,
    progress: @escaping @Sendable (PairingStep) -> Void
  ) async throws -> MonitorFacts {
    progress(.searching)
    let found = straps.filter {
      $0.address.description == monitor.uppercased() || $0.name.lowercased() == monitor.lowercased()
    }
    guard let strap = found.first else { throw PairingError.notFound(monitor) }
    guard found.count == 1 else { throw PairingError.ambiguous(monitor, found.map(\.address)) }
    progress(.connecting(strap.address, name: strap.name))
    progress(.resolving)
    let refusal = "the simulated strap does not support bonding"
    guard bonding != .required else { throw PairingError.pairingFailed(refusal) }
    progress(.reading)
    let read = DeviceInformationString.characteristics + [.bodySensorLocation]
    let values = AttributeDatabase(strap).attributes.filter { read.contains($0.type) }
      .map { (characteristic: $0.type, value: AttributeValue($0.value)) }
    return MonitorFacts(
      address: strap.address, name: strap.name, bondRefusal: bonding == .none ? nil : refusal,
      battery: Int(strap.batteryLevel), values: values)
  }

  /// Does nothing, because the simulation does not store paired straps.
  public func forget(
    _ address: BluetoothAddress, isForAll: Bool, timeout: Duration
  ) async throws -> ForgetOutcome { .notKnown }
}
