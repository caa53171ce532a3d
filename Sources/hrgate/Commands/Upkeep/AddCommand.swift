import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Adds one sample by hand.
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a value by hand: weight, blood pressure, sleep, a workout …",
    discussion: .paragraphs(
      """
      Stores one sample with the source Health (org.hrgate.health), marked as entered by the user, and prints its
      UUID, with which `hrgate delete --uuid` deletes it. Units are written as in HealthKit, attached to the number or
      after it. The default is the unit chosen with `hrgate units`, or else the type's own: kg, m, count/min. Percentages
      are from 0 to 100. Put `--` before a negative number. The time is now unless you give --at, or --from and --to for a
      period; sleep, mindfulness and workouts require --from and --to. Types that only devices record, such as heartbeat
      series and ECGs, cannot be added. The command asks before it stores an unusual value, such as a weight of 732 kg.

      EXAMPLES
        hrgate add bodyMass 73.2 kg
        hrgate add bloodPressure 121/79 --at 2026-11-21T07:00+01:00
        hrgate add oxygenSaturation 97 %
        hrgate add headache moderate --from 2026-11-21T07:00+01:00 --to 2026-11-21T09:30+01:00
        hrgate add sleepAnalysis asleepDeep --from 2026-11-21T01:00Z --to 2026-11-21T02:10Z
        hrgate add workout running --from 2026-11-21T07:00Z --to 2026-11-21T07:52Z --distance 9.6km
      """))

  @Argument(
    help: "The type of the sample to add, such as bodyMass, bloodPressure, sleepAnalysis or workout.",
    transform: TypeArgument.read)
  var type: TypeArgument
  @Argument(
    help:
      "The value: a number, a blood pressure as 121/79, a name such as asleepDeep, or a workout's activity such as running."
  )
  var value: String?
  @Argument(
    help: "The unit, such as kg (default: the one set with hrgate units, otherwise the type's usual one).")
  var unit: String?
  @Option(
    help: ArgumentHelp(
      "Time of the measurement, such as 2026-11-21T07:00+01:00 (default: now).", valueName: "time"),
    transform: TimeArgument.read)
  var at: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "Start of a sleep, workout or other period, such as 2026-11-21T07:00+01:00.", valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "End of the period, such as 2026-11-21T09:30+01:00. Leave it out for a pregnancy that has not ended.",
      valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @Option(
    help: ArgumentHelp("With workout: the energy burned, such as 400kcal.", valueName: "quantity"))
  var energy: String?
  @Option(help: ArgumentHelp("With workout: the distance, such as 9.6km.", valueName: "quantity"))
  var distance: String?
  @Flag(help: "With menstrualFlow: this is the first day of a cycle.")
  var cycleStart = false
  @Option(help: "With insulinDelivery: the kind of dose, basal or bolus.")
  var reason: String?
  @OptionGroup var days: TimeZoneOption
  @OptionGroup var store: StoreOptions
  @Flag(help: "Store an unusual value, such as a weight of 732 kg, without asking.")
  var yes = false
  @Flag(help: "Print the sample as one JSON object, as hrgate samples does.")
  var json = false

  func validate() throws {
    if at != nil, from != nil || to != nil {
      throw ValidationError("--at cannot be used with --from or --to.")
    }
    if to != nil, from == nil { throw ValidationError("--to requires --from.") }
  }

  private var entry: ManualEntry {
    let start = (from ?? at)?.date(in: days.zone) ?? .now
    var entry = ManualEntry(
      type: type.type, start: start,
      end: from == nil && !type.type.isOpenEnded ? start : to?.date(in: days.zone))
    (entry.value, entry.unit, entry.energy, entry.distance) = (value, unit, energy, distance)
    (entry.isCycleStart, entry.reason) = (cycleStart, reason)
    return entry
  }

  func run() async throws {
    let entry = entry
    do {
      // If there is no store yet, validate the entry before creating one. For an existing store, `add`
      // validates the entry, in the units that the user has chosen.
      if !FileManager.default.fileExists(atPath: try store.file) { _ = try entry.sample { $0.displayUnit } }
      let system = try store.openSystem()
      if !yes, let doubt = try await system.doubt(about: entry) {
        guard DeleteCommand.agrees(to: "\(doubt) Add the value nevertheless? [y/n] ") else {
          throw CommandError("nothing was added")
        }
      }
      let sample = try await system.add(entry)
      let line = SampleLine(sample)
      try StandardOutput.write(json ? JSONLine.text(line) : line.uuid)
      if !json, StandardError.isTerminal { StandardError.print("added: \(line.text)") }
    } catch let error as EntryError {
      throw ValidationError(Self.text(error))
    }
  }

  private static func text(_ error: EntryError) -> String {
    guard let (name, valid) = error.unknown else { return "\(error)." }
    if let near = NearestName.of(name, among: valid) { return "\(error); did you mean \(near)?" }
    return "\(error); use one of \(valid.joined(separator: ", "))."
  }
}
