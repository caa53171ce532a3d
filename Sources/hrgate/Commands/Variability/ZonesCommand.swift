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
      training load; with --resting and --weighting, also Banister's training impulse. --explain defines each value.

      Without --maximum and --bounds, zones start at the saved bounds (--save, or on the web page). If no bounds are saved, they are
      percentages of the saved maximum, otherwise of an estimate from your age. The web page and programs use the same zones.

      EXAMPLES
        hrgate zones --maximum 190 --save
        hrgate zones --bounds 110 130 150 165 178 --save
        hrgate zones --no-bounds --save
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
  @Flag(
    help:
      "Save --maximum or five --bounds for later calls, the page and programs; with --no-bounds, remove them."
  )
  var save = false
  @Flag(help: "Use percentages of the maximum heart rate, even if bounds are saved.")
  var noBounds = false
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
    if save, maximum == nil && bounds.isEmpty && !noBounds {
      throw ValidationError("--save requires --maximum, --bounds or --no-bounds.")
    }
    if noBounds && !bounds.isEmpty {
      throw ValidationError("--bounds and --no-bounds exclude each other.")
    }
    if resting != nil && maximum == nil { throw ValidationError("--resting requires --maximum.") }
    if weighting != nil && resting == nil { throw ValidationError("--weighting requires --resting.") }
    guard zones(maximum) != nil || (maximum == nil && bounds.isEmpty) else {
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
    if save { try await saveSettings(in: system) }
    let maximum = try self.maximum ?? storedMaximum(in: system)
    guard let zones = try storedLimits(in: system) ?? zones(maximum) else {
      // What was to be saved is saved.
      if save { return }
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

  private func saveSettings(in store: SystemStore) async throws {
    var rate: Int?
    if let maximum {
      rate = Int(exactly: maximum.rounded())
      guard let rate, MaximumHeartRate.range.contains(rate) else {
        throw ValidationError("With --save, --maximum must be from 100 to 230 beats per minute.")
      }
    }
    var limits: ZoneLimits?
    if !bounds.isEmpty {
      limits = ZoneLimits(bounds.compactMap(Int.init(exactly:)))
      guard let limits, limits.rates.count == bounds.count else {
        throw ValidationError("With --save, --bounds must be zone limits. \(ZoneLimits.rule)")
      }
    }
    if let rate { try await store.setMaximumHeartRate(rate) }
    if limits != nil || noBounds { try await store.setZoneLimits(limits) }
    if rate != nil, limits == nil, try store.zoneLimits() != nil {
      StandardError.print(
        "the saved bounds of zones stay in use; to remove them: hrgate zones --no-bounds --save")
    }
  }

  /// The stored maximum heart rate; `nil` with --bounds.
  private func storedMaximum(in store: SystemStore) throws -> Double? {
    guard bounds.isEmpty, let found = try store.maximumHeartRate() else { return nil }
    if found.origin == .age {
      StandardError.print("the maximum heart rate is estimated from your age: \(found.maximum)")
    }
    return Double(found.maximum)
  }

  /// The stored limits of zones; `nil` if an option names others.
  private func storedLimits(in store: SystemStore) throws -> HeartRateZones? {
    guard bounds.isEmpty, maximum == nil, !noBounds else { return nil }
    return try store.zoneLimits().flatMap { HeartRateZones(bounds: $0.rates.map(Double.init)) }
  }

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
