import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Figures of random days as the command line prints them. The browser tests (`test_days.py`) compare the
/// page with them.
struct DayFacts {
  private let store: String
  private static let maximum = 187

  init(_ store: String) { self.store = store }

  private func printed(_ arguments: [String], from: Date, to: Date) throws -> [[String: Any]] {
    let span = ["--from", Timestamp.text(from), "--to", Timestamp.text(to)]
    return try Command.hrgate(arguments + span + ["--json", "--store", store]).objects()
  }

  /// - Parameter sessions: The sessions that the page found. Only their times are used.
  func object(_ random: RandomDays, _ sessions: [[String: Any]]) throws -> [String: Any] {
    let days: [[String: Any]] = try random.days.map { day in
      let (from, to) = (day.start, day.end)
      let stats = try #require(try printed(["stats"], from: from, to: to).first)
      let energy = try #require(
        try printed(["stats", "--type", "activeEnergyBurned"], from: from, to: to).first)
      let rates = try printed(["samples", "--type", "heartRate"], from: from, to: to)
      return [
        "date": Self.date(day.start), "stats": stats, "energy": energy,
        "latest": try #require(try Self.latest(of: rates)),
      ]
    }
    return [
      "days": days, "maximum": Self.maximum, "stretches": try stretches(random.worn),
      "sessions": try sessions.map { session in
        let start = try #require((session["start"] as? String).flatMap(Timestamp.parse))
        let end = try #require((session["end"] as? String).flatMap(Timestamp.parse))
        let source = try #require(session["source"] as? String)
        return try #require(try printed(["stats", "--source", source], from: start, to: end + 0.001).first)
      },
    ]
  }

  /// Returns the figures of the periods in which a strap was worn and that have variability measures. Fails
  /// the test if there are fewer than two.
  private func stretches(_ worn: [DateInterval]) throws -> [[String: Any]] {
    let complete = try worn.map(stretch).filter { ($0["hrv"] as? [String: Any])?["rmssd"] != nil }
    try #require(complete.count > 1)
    return Array(complete.prefix(3))
  }

  /// Returns the figures of six minutes in which a strap was worn.
  private func stretch(_ worn: DateInterval) throws -> [String: Any] {
    let source = RandomDays.strap.bundleIdentifier
    let start = (worn.start.timeIntervalSince1970 + 1).rounded(.up)
    let (from, to) = (Date(timeIntervalSince1970: start), Date(timeIntervalSince1970: start + 360))
    let hrv = try printed(["hrv", "--window", "360s", "--source", source], from: from, to: to)
    let zones = try printed(
      ["zones", "--maximum", "\(Self.maximum)", "--source", source], from: from, to: to)
    return [
      "from": Int(start * 1000), "to": Int((start + 360) * 1000), "source": source,
      "hrv": try #require(hrv.first),
      "zones": try #require(zones.first?["zones"]),
    ]
  }

  /// Returns the value of the sample with the latest end.
  private static func latest(of samples: [[String: Any]]) throws -> Double? {
    let ends = try samples.map { (try #require($0["end"] as? String), $0["value"] as? Double) }
    return ends.max { $0.0 < $1.0 }?.1
  }

  private static func date(_ start: Date) -> String {
    var style = Date.ISO8601FormatStyle().year().month().day()
    style.timeZone = TimeZone(identifier: RandomDays.zone) ?? .gmt
    return start.formatted(style)
  }
}
