import HealthDataSync
import HealthKit
import HealthSystem

extension ZonesView {
  /// Returns the zones as lines of text.
  func text(_ source: HKSource) -> [String] {
    let rows = zones.map { zone in
      [
        "zone \(zone.zone)", zone.lower.map(Self.rate) ?? "", "–", zone.upper.map(Self.rate) ?? "",
        Self.minutes(zone.seconds), ProgressBar.text(known > 0 ? zone.seconds / known : 0),
      ]
    }
    let impulses = [("Edwards", edwards), ("Banister", banister)].compactMap { name, impulse in
      impulse.map { "\(name)  \(($0 * 10).rounded() / 10)" }
    }
    return [
      "\(source.name.plain)  \(source.bundleIdentifier.plain)  "
        + "\(Timestamp.text(start)) – \(Timestamp.text(end))"
    ]
      + TextTable.lines(rows, right: [1, 3, 4]) + impulses
  }

  private static func rate(_ rate: Double) -> String { "\((rate * 10).rounded() / 10)" }

  private static func minutes(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    return "\(whole / 60) min \(whole % 60) s"
  }
}
