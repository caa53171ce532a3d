import Foundation
import Testing

@testable import TestSupport

/// The output of `hrgate samples --json`.
struct Samples {
  var objects: [[String: Any]]

  /// Replays logs into a new store and reads its samples.
  init(replaying logs: [String], _ arguments: [String] = []) throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate(["replay"] + logs + ["--store", store] + arguments)
    try self.init(store: store)
  }

  init(store: String) throws {
    objects = try Command.hrgate("samples", "--store", store, "--json").objects()
  }

  private func ofType(_ type: String) -> [[String: Any]] { objects.filter { $0["type"] as? String == type } }

  var heartRates: [[String: Any]] { ofType("HKQuantityTypeIdentifierHeartRate") }
  var series: [[String: Any]] { ofType("HKDataTypeIdentifierHeartbeatSeries") }

  var heartRateValues: [Double] { heartRates.compactMap { $0["value"] as? Double } }
  var startTimes: [String] { heartRates.compactMap { $0["start"] as? String } }
  var identifiers: [String] { objects.compactMap { $0["uuid"] as? String } }

  /// One array for each heartbeat series: the intervals between its beats in ticks of 1/1024 s, without
  /// intervals that span a gap.
  var ticks: [[Double]] {
    series.map { series in
      let beats = series["beats"] as? [[String: Any]] ?? []
      return zip(beats, beats.dropFirst()).compactMap { earlier, later in
        guard let from = earlier["offset"] as? Double, let to = later["offset"] as? Double,
          later["precededByGap"] as? Bool == false
        else { return nil }
        return (to - from) * 1024
      }
    }
  }
}
