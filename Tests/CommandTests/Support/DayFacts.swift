import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// What the command line prints of random days, for the tests in a browser (`test_days.py`).
struct DayFacts {
  private let store: String
  private static let maximum = 187

  init(_ store: String) { self.store = store }

  private func printed(_ arguments: [String], from: Double, to: Double) throws -> [[String: Any]] {
    let span = ["--from", PageFigures.text(from), "--to", PageFigures.text(to)]
    return try Command.hrgate(arguments + span + ["--json", "--store", store]).objects()
  }

  /// - Parameter sessions: As the page finds them: times alone are taken of them.
  func object(_ random: RandomDays, _ sessions: [[String: Any]]) throws -> [String: Any] {
    let days: [[String: Any]] = try random.days.map { day in
      let (from, to) = (day.start.timeIntervalSince1970 * 1000, day.end.timeIntervalSince1970 * 1000)
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
        let start = try #require(session["start"] as? Double)
        let end = try #require(session["end"] as? Double)
        let source = try #require(session["source"] as? String)
        return try #require(try printed(["stats", "--source", source], from: start, to: end + 1).first)
      },
    ]
  }

  /// Some of which there are figures.
  private func stretches(_ worn: [DateInterval]) throws -> [[String: Any]] {
    let told = try worn.map(stretch).filter { ($0["hrv"] as? [String: Any])?["rmssd"] != nil }
    try #require(told.count > 1)
    return Array(told.prefix(3))
  }

  /// Six minutes in which a strap was worn.
  private func stretch(_ worn: DateInterval) throws -> [String: Any] {
    let source = RandomDays.strap.bundleIdentifier
    let from = (worn.start.timeIntervalSince1970 + 1).rounded(.up) * 1000
    let to = from + 360_000
    let hrv = try printed(["hrv", "--window", "360s", "--source", source], from: from, to: to)
    let zones = try printed(
      ["zones", "--maximum", "\(Self.maximum)", "--source", source], from: from, to: to)
    return [
      "from": Int(from), "to": Int(to), "source": source, "hrv": try #require(hrv.first),
      "zones": try #require(zones.first?["zones"]),
    ]
  }

  /// The value of which no other is later.
  private static func latest(of samples: [[String: Any]]) throws -> Double? {
    let ends = try samples.map { (try PageFigures.milliseconds($0["end"]), $0["value"] as? Double) }
    return ends.max { $0.0 < $1.0 }?.1
  }

  private static func date(_ start: Date) -> String {
    var style = Date.ISO8601FormatStyle().year().month().day()
    style.timeZone = TimeZone(identifier: RandomDays.zone) ?? .gmt
    return start.formatted(style)
  }
}
