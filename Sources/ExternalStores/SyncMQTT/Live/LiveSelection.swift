internal import Foundation
internal import HealthDataSync
internal import HealthKit

/// What of a gateway's live state goes to a destination: what would go there of its samples, and nothing
/// else.
struct LiveSelection: Sendable {
  /// Whether the pulse and the contact with skin go there: they are of the heart rates.
  let hasPulse: Bool
  /// Whether the intervals between beats go there: they are of the heartbeat series.
  let hasIntervals: Bool
  private let sources: Set<String>?
  private let earliest: Date?

  init(_ destination: SyncDestination) {
    hasPulse = destination.includes(HKQuantityType(.heartRate))
    hasIntervals = destination.includes(HKSeriesType.heartbeat())
    sources = destination.sources
    earliest = destination.from
  }

  /// The monitors that are told of: none where nothing of what they measure live goes there, or nothing yet.
  /// What was measured before the time from which samples go there is left out.
  func monitors(_ all: [LiveMonitor], at time: Date) -> [LiveMonitor] {
    guard hasPulse || hasIntervals, earliest.map({ $0 <= time }) ?? true else { return [] }
    return all.filter { sources?.contains($0.source) ?? true }.map { monitor in
      var monitor = monitor
      if let earliest, let measured = monitor.measurement?.time, measured < earliest {
        monitor.measurement = nil
      }
      return monitor
    }
  }

  /// For how long nothing is told of yet; `nil` if something is.
  func pause(at time: Date) -> Duration? {
    earliest.flatMap { $0 > time ? .seconds($0.timeIntervalSince(time)) : nil }
  }
}
