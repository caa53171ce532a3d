import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Prints samples, one per line.
struct SamplesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "samples",
    abstract: "Print stored samples, one per line, oldest first.",
    discussion: .paragraphs(
      """
      Without --json or --csv, each sample is one short line. Values are in the unit in which they were stored. The beats of a
      heartbeat series are seconds since its start; precededByGap marks the first beat after a gap. In CSV, control characters
      are escaped; JSON has all characters unchanged.

      EXAMPLES
        hrgate samples --type heartRate --last
        hrgate samples --limit 5 --json
        hrgate samples --type heartRate --from 2026-11-21 --to 2026-11-22 --csv
        hrgate samples --type heartbeatSeries --source "H10 12345678" --json
      """))

  enum Format: String, EnumerableFlag {
    case json
    case csv
  }

  @OptionGroup var selection: SelectionOptions
  @Option(
    help:
      "Print only samples of this type, such as heartRate, activeEnergyBurned or heartbeatSeries (default: all types).",
    transform: TypeArgument.read)
  var type: TypeArgument?
  @Option(help: "Maximum number of samples to print, oldest first (default: all).")
  var limit: Int?
  @Flag(help: "Print only the latest sample of each type, with its age.")
  var last = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object per line (--json), or comma-separated values with a header (--csv).")
  var format: Format?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if last, limit != nil { throw ValidationError("--last and --limit cannot be used together.") }
  }

  func run() async throws {
    let store = try await store.openForReading()
    let predicate = try await selection.predicate(in: store)
    let predicates = try await types(in: store).map {
      HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate)
    }
    if format == .csv { try StandardOutput.write(SampleLine.csvHeading) }
    guard !predicates.isEmpty else { return }
    let (format, last) = (format, last)
    // With --last, query each type separately.
    for predicates in last ? predicates.map({ [$0] }) : [predicates] {
      try await store.reduceSamples(
        into: (), predicates, limit: last ? 1 : limit, ascending: !last
      ) { _, sample in
        try Self.write(sample, format, withAge: last)
      }
    }
  }

  private static func write(_ sample: HKSample, _ format: Format?, withAge: Bool) throws {
    let record = SampleLine(sample)
    switch format {
    case .json: try StandardOutput.write(JSONLine.text(record))
    case .csv: try StandardOutput.write(record.csv())
    case nil:
      // Without its age, an old value would look current.
      let age = Int64(max(0, Date.now.timeIntervalSince(sample.endDate)))
      try StandardOutput.write(record.text + (withAge ? "  \(Age.text(seconds: age)) ago" : ""))
    }
  }

  /// Returns the given type, or all types with samples.
  private func types(in store: HKHealthStore) async throws -> [HKSampleType] {
    if let type { return [type.type] }
    let stored = Set(try await SystemStore(store).sampleCounts().flatMap(\.counts.keys))
    return TypeArgument.all.filter { stored.contains($0.identifier) }
  }
}
