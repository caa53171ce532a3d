import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Derives values from stored samples, as the gateway does.
struct DeriveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "derive",
    abstract: "Compute heart-rate variability and resting heart rates from stored samples, and store them.",
    discussion: .paragraphs(
      """
      Stores an SDNN (the standard deviation of the intervals between heartbeats) for each five minutes, if beats cover at least 80 % of them
      and at most a fifth of the beats are artifacts, and a resting heart rate for each local day. Both have the source org.hrgate.derived.
      hrgate run does this automatically. Use this command if it does not run, for example after hrgate replay, or to recompute values (--from).
      Correct values stay unchanged, others are replaced, and values whose beats were deleted are deleted.

      EXAMPLES
        hrgate derive
        hrgate derive --from 2026-11-01T00:00:00Z
        hrgate derive --from 2026-11-21T00:00:00Z --to 2026-11-22T00:00:00Z --json
      """))

  @Option(
    help: ArgumentHelp(
      "Recompute all values from this time on, such as 2026-11-01 (default: only values whose samples have changed).",
      valueName: "time"), transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "With --from: recompute values only up to this time, such as 2026-11-22 (default: the end of the data).",
      valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @OptionGroup var days: TimeZoneOption
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the number of written, replaced and deleted values as a JSON object.")
  var json = false

  func validate() throws {
    if to != nil, from == nil { throw ValidationError("--to requires --from.") }
    if let from, let to, to.date(in: days.zone) < from.date(in: days.zone) {
      throw ValidationError("--to is before --from.")
    }
  }

  func run() async throws {
    let zone = days.zone
    let derivation = try Derivation(try await store.openForReading(skippingDamage: false), zone: { zone })
    let tally =
      if let from {
        try await derivation.derive(from: from.date(in: zone), to: to?.date(in: zone))
      } else {
        try await derivation.catchUp()
      }
    try StandardOutput.write(json ? JSONLine.text(DeriveLine(tally)) : DeriveLine(tally).text)
  }
}

/// The result of `hrgate derive`. The field names are stable.
struct DeriveLine: Encodable {
  var written: Int
  var replaced: Int
  var withdrawn: Int
  /// Number of values that were already correct.
  var unchanged: Int

  init(_ tally: DerivationTally) {
    written = tally.written
    replaced = tally.replaced
    withdrawn = tally.withdrawn
    unchanged = tally.unchanged
  }

  /// The result as text.
  var text: String {
    "\(Counted.text(written, "value")) written, \(replaced) replaced, \(withdrawn) deleted, \(unchanged) unchanged"
  }
}
