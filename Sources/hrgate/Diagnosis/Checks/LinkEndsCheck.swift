import Bluetooth
import Gateway

/// Checks how often and why a monitor's links end, and whether they all last equally long.
enum LinkEndsCheck {
  private static let name = "links"
  private static let span = 7 * 86_400.0
  /// Maximum number of lost links per day that is normal, because the wearer's body can come between strap
  /// and adapter.
  private static let oftenPerDay = 24.0

  static func findings(_ monitor: EnrolmentFacts, _ clock: ClockFacts) -> [Finding] {
    let gaps = monitor.gaps.filter { $0.start.secondsSince1970 >= clock.now - span }
    if let age = timing(of: gaps, clock).age {
      return [
        Finding(
          name, of: monitor.subject, .warn,
          "\(RefusedTiming.inARow) links in a row ended after \(age.components.seconds) s: the host rejects the monitor's connection timing",
          advice: RefusedTiming.remedy)
      ]
    }
    let counts = Dictionary(grouping: gaps, by: \.cause.rawValue).mapValues(\.count)
    let text =
      counts.isEmpty
      ? "no lost link in 7 days"
      : "in 7 days: "
        + counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) × \($0.key)" }.joined(
          separator: ", ")
    guard Double(counts[GapCause.linkLoss.rawValue] ?? 0) > oftenPerDay * 7 else {
      return [Finding(name, of: monitor.subject, .ok, text)]
    }
    return [
      Finding(
        name, of: monitor.subject, .warn, text,
        advice: "Bring the adapter closer, on a cable away from Wi-Fi and USB 3, and check the battery.")
    ]
  }

  /// Causes of gaps for which this host did not end the link. bluetoothd 5.66 does not report which side
  /// ended it.
  private static let byItself: Set<GapCause> = [.linkLoss, .closedByPeripheral]
  /// Causes of gaps during which the link may have stayed connected.
  private static let leavesLink: Set<GapCause> = [
    .silence, .overflow, .clockStep, .suspended, .storeUnavailable, .unknown,
  ]

  /// Evaluates the durations of the past links and of the current one.
  private static func timing(of gaps: [MonitorGap], _ clock: ClockFacts) -> RefusedTiming {
    var timing = RefusedTiming()
    for (before, after) in zip(gaps, gaps.dropFirst()) {
      let begun = leavesLink.contains(before.cause) ? nil : before.end
      let age = begun.map { Duration.microseconds(after.start.microseconds(since: $0)) }
      timing.note(byItself.contains(after.cause) ? age : nil)
    }
    if let begun = gaps.last?.end { timing.note(standing: .seconds(clock.now - begun.secondsSince1970)) }
    return timing
  }
}
