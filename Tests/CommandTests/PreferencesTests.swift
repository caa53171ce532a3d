import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests the user's characteristics, units and goals, as set by commands and read by applications.
@Suite struct PreferencesTests {
  private let folder: TemporaryFolder
  private let store: HKHealthStore

  init() throws {
    folder = try TemporaryFolder()
    store = try HKHealthStore(storeAt: folder.path("s.sqlite"))
  }

  private func hrgate(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(arguments + ["--store", folder.path("s.sqlite")])
  }

  private func values(_ command: String, _ name: String, _ value: String) throws -> [String: String] {
    let objects = try hrgate(command, "list", "--json").objects()
    let pairs = objects.map { ("\($0[name] ?? "")", $0[value].map { "\($0)" } ?? "none") }
    return Dictionary(pairs) { $1 }
  }

  @Test func `characteristics are set, read by applications, listed and cleared`() throws {
    for (name, value) in [
      ("dateOfBirth", "1990-05-17"), ("bloodType", "abNegative"), ("biologicalSex", "female"),
      ("fitzpatrickSkinType", "IV"), ("wheelchairUse", "yes"), ("activityMoveMode", "appleMoveTime"),
    ] {
      #expect(try hrgate("characteristics", "set", name, value).status == 0)
      #expect(try values("characteristics", "characteristic", "value")[name] == value)
    }
    let birth = try store.dateOfBirthComponents()
    #expect([birth.year, birth.month, birth.day] == [1990, 5, 17])
    #expect(try store.bloodType().bloodType == .abNegative)
    #expect(try store.activityMoveMode().activityMoveMode == .appleMoveTime)
    #expect(try hrgate("characteristics", "clear", "bloodType").status == 0)
    #expect(try hrgate("characteristics", "clear", "dateOfBirth").status == 0)
    #expect(try store.bloodType().bloodType == .notSet)
    let listed = try hrgate("characteristics").lines
    #expect(listed.contains("bloodType  not set"))
    #expect(listed.contains("dateOfBirth  not set"))
    #expect(listed.contains("biologicalSex  female"))
  }

  @Test(arguments: [
    ["dateOfBirth", "1990-02-30"], ["dateOfBirth", "17.5.1990"], ["dateOfBirth", "1990-5-17"],
    ["dateOfBirth", "+990-05-17"], ["bloodType", "notSet"], ["bloodType", "purple"], ["mood", "good"],
  ])
  func `an invalid characteristic is a usage error`(arguments: [String]) throws {
    #expect(
      try Command.hrgate(
        ["characteristics", "set"] + arguments + ["--store", folder.path("s.sqlite")]
      ).status == 2)
  }

  @Test func `a unit is set, used as the preferred unit, listed and cleared`() async throws {
    let bodyMass = HKQuantityType(.bodyMass)
    #expect(try hrgate("units").lines.isEmpty)
    #expect(try hrgate("units", "set", "bodyMass", "oz").status == 0)
    #expect(try await store.preferredUnits(for: [bodyMass]) == [bodyMass: .ounce()])
    #expect(try hrgate("units").lines == ["bodyMass  oz"])
    let all = try hrgate("units", "list", "--all", "--json").objects()
    #expect(all.count > 100)
    #expect(all.filter { $0["chosen"] as? Bool == true }.count == 1)
    #expect(try hrgate("units", "clear", "bodyMass").status == 0)
    #expect(try hrgate("units").lines.isEmpty)
  }

  @Test(arguments: [["bodyMass", "count/min"], ["bodyMass", "stones"], ["sleepAnalysis", "kg"]])
  func `an incompatible unit is a usage error`(arguments: [String]) throws {
    #expect(
      try Command.hrgate(["units", "set"] + arguments + ["--store", folder.path("s.sqlite")]).status == 2)
  }

  @Test func `a goal is valid from a day on`() async throws {
    #expect(try hrgate("goals", "set", "activeEnergyBurned", "500", "--from", "2026-01-02").status == 0)
    #expect(
      try hrgate("goals", "set", "appleExerciseTime", "0.5", "--unit", "hr", "--from", "2026-01-01").status
        == 0)
    #expect(try hrgate("goals", "clear", "activeEnergyBurned", "--from", "2026-01-03").status == 0)
    #expect(
      try hrgate("goals").lines == [
        "appleExerciseTime  30 min  from 2026-01-01", "activeEnergyBurned  500 kcal  from 2026-01-02",
        "activeEnergyBurned  none  from 2026-01-03",
      ])
    let objects = try hrgate("goals", "list", "--json").objects()
    #expect(objects.map { $0["value"] as? Double } == [30, 500, nil])
  }

  @Test func `without a day a goal is valid from today`() throws {
    #expect(try hrgate("goals", "set", "appleStandHours", "12").status == 0)
    let style = Date.ISO8601FormatStyle(timeZone: .current)
    let today = Date.now.formatted(style.year().month().day())
    #expect(try values("goals", "goal", "from") == ["appleStandHours": today])
  }

  @Test(arguments: [
    ["--", "appleStandHours", "-1"], ["appleStandHours", "nan"], ["appleStandHours", "1", "--unit", "kg"],
    ["appleStandHours", "1", "--from", "tomorrow"], ["happiness", "1"],
  ])
  func `an invalid goal is a usage error`(arguments: [String]) throws {
    #expect(
      try Command.hrgate(["goals", "set", "--store", folder.path("s.sqlite")] + arguments).status == 2)
  }
}
