import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// Prints the time in heart-rate zones.
struct ZonesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones",
    abstract: "Show how long the heart rate was in each training zone, and the training load.",
    discussion: .paragraphs(
      """
      Computed from the stored heart rates, separately for each source (app or device). Each heart rate counts until the next one, for at most
      ten seconds. Zones start at 50, 60, 70, 80 and 90 percent of --maximum or, with --resting, of the heart-rate reserve (maximum minus
      resting rate). With --bounds they start at the rates that you give. Zone 0 is below zone 1. With a maximum, the output has Edwards'
      training load; with --resting and --weighting, also Banister's training impulse. --explain defines each value. Without --maximum and
      --bounds, the maximum is the one that you saved (--save, or on the web page), otherwise an estimate from your age.

      EXAMPLES
        hrgate zones --maximum 190 --save
        hrgate zones --from 2026-11-21 --to 2026-11-22
        hrgate zones --maximum 190 --resting 52 --weighting women \\
          --from 2026-11-21T06:00:00Z --to 2026-11-21T07:00:00Z
        hrgate zones --bounds 110 130 150 --json
        hrgate zones --explain
      """))

  enum Weighting: String, ExpressibleByArgument, CaseIterable {
    case men
    case women
  }

  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp(
      "Your maximum heart rate in beats per minute, such as 190 (default: the saved one, or estimated from your age).",
      valueName: "rate"))
  var maximum: Double?
  @Flag(help: "Save the value of --maximum for later calls and the web page.")
  var save = false
  @Option(
    help: ArgumentHelp(
      "Your resting heart rate in beats per minute, such as 52. Zones then begin at percentages of the range from it to the maximum.",
      valueName: "rate"))
  var resting: Double?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Heart rates in beats per minute at which zone 1, zone 2 … begin, such as 110 130 150 (default: percentages of the maximum).",
      valueName: "rate")
  )
  var bounds: [Double] = []
  @Option(help: "With --resting: also show Banister's training impulse, with the weights for men or women.")
  var weighting: Weighting?
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each monitor or other source of heart rates.")
  var json = false
  @Flag(help: "Print the definition of each value and exit.")
  var explain = false

  func validate() throws {
    guard !explain else { return }
    if save, maximum == nil { throw ValidationError("--save requires --maximum.") }
    if resting != nil && maximum == nil { throw ValidationError("--resting requires --maximum.") }
    if weighting != nil && resting == nil { throw ValidationError("--weighting requires --resting.") }
    guard zones != nil || (maximum == nil && bounds.isEmpty) else {
      throw ValidationError(
        bounds.isEmpty
          ? "--maximum must be above --resting, and both above 0, such as --maximum 190 --resting 52."
          : "The values of --bounds must be above 0 and ascending, such as 110 130 150.")
    }
    if weighting != nil && impulse == nil {
      throw ValidationError(
        "--maximum and --resting must be heart rates, such as --maximum 190 --resting 52.")
    }
  }

  func run() async throws {
    guard !explain else {
      for line in ZonesDefinitions.lines { try StandardOutput.write(line) }
      return
    }
    let store = try await store.openForReading()
    let system = try SystemStore(store)
    if save, let maximum {
      guard MaximumHeartRate.range.contains(Int(maximum)) else {
        throw ValidationError("With --save, --maximum must be from 100 to 230 beats per minute.")
      }
      try await system.setMaximumHeartRate(Int(maximum.rounded()))
    }
    let maximum = try self.maximum ?? stored(in: system)
    guard let zones = zones(maximum) else {
      throw ValidationError(
        "Give --maximum or --bounds, because neither a maximum heart rate nor a date of birth is stored.")
    }
    let sources = try await ZonesView.bySource(
      in: store, matching: selection.predicate(in: store), in: zones, maximum: maximum, impulse: impulse)
    for (source, zones) in sources {
      for line in json ? [try JSONLine.text(zones)] : zones.text(source) { try StandardOutput.write(line) }
    }
    if sources.isEmpty {
      StandardError.print("no stored heart rate matches; check --from, --to and --source")
    }
  }

  /// The stored maximum heart rate; `nil` if the zones have bounds.
  private func stored(in store: SystemStore) throws -> Double? {
    guard bounds.isEmpty, let found = try store.maximumHeartRate() else { return nil }
    if found.origin == .age {
      StandardError.print("the maximum heart rate is estimated from your age: \(found.maximum)")
    }
    return Double(found.maximum)
  }

  private var zones: HeartRateZones? { zones(maximum) }

  private func zones(_ maximum: Double?) -> HeartRateZones? {
    if !bounds.isEmpty { return HeartRateZones(bounds: bounds) }
    guard let maximum else { return nil }
    guard let resting else { return HeartRateZones(ofMaximum: maximum) }
    return HeartRateZones(ofReserveFrom: resting, to: maximum)
  }

  private var impulse: TrainingImpulse? {
    guard let maximum, let resting, let weighting else { return nil }
    return TrainingImpulse(
      resting: resting, maximum: maximum, weighting: weighting == .men ? .men : .women)
  }
}
