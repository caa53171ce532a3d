import Foundation
import GRDB

@testable import HealthStorage

/// Generates measurements of some monitors, as a gateway or a replay passes them to the store.
struct MeasuredMinutes {
  static let addresses = (1...8).map { "F0:0D:BE:A7:01:0\($0)" }
  private let kinds: [(rates: MeasuredKind, energies: MeasuredKind)]

  init(_ count: Int = 8) {
    kinds = Self.addresses.prefix(count).map { address in
      func kind(_ type: String, _ unit: String) -> MeasuredKind {
        MeasuredKind(
          type: type, unit: unit, provenance: provenance(source: "org.hrgate.monitor.\(address)"),
          metadata: EncodedMetadata(["location": .string(address)]), monitor: address)
      }
      return (kind("t", "u"), kind("e", "kJ"))
    }
  }

  /// Returns four heart rates of each monitor, and an energy of the first.
  /// - Parameter second: Seconds since `packedHour`.
  func second(_ second: Int64) -> [MeasuredQuantities] {
    var measured: [MeasuredQuantities] = []
    for (place, kind) in kinds.enumerated() {
      var rates = MeasuredQuantities(kind.rates)
      for quarter in 0..<4 as Range<Int64> {
        let time = packedHour + second * 1_000_000 + quarter * 250_000 + Int64(place) * 1000
        rates.append(heartRate: Double(60 + (second + quarter) % 40), at: time, occurrence: 0)
      }
      measured.append(rates)
    }
    var energies = MeasuredQuantities(kinds[0].energies)
    let end = packedHour + second * 1_000_000
    var identity = MeasuredIdentity(monitor: Self.addresses[0])
    let words = withUnsafeBytes(of: second) { identity.words(2, at: end, $0, occurrence: 0) }
    energies.append(1, from: end - 900_000, to: end, uuid: UUID(words: words))
    return measured + [energies]
  }
}

extension SampleDatabase {
  func saveMeasured(
    _ seconds: Range<Int64>, of minutes: MeasuredMinutes = MeasuredMinutes(),
    as form: MeasuredForm = .segments
  ) async throws {
    for second in seconds { _ = try await save([], measured: minutes.second(second), as: form) }
  }
}
