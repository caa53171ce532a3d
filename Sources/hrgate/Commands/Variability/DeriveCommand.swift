import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Derives values from stored samples, as the gateway does.
struct DeriveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "derive",
    abstract: "Derive heart-rate variability and resting heart rates from what is stored, and store them.",
    discussion: .paragraphs(
      """
      An SDNN for each five minutes of which beats fill four fifths, clean enough, and a resting heart rate for each day where you are, under the source
      org.hrgate.derived. The gateway does so by itself; this is for a store on which none runs, as after a replay, and to do it once more:
      with --from everything of that time is derived anew. A figure that is right stays as it is, another takes its place, and one whose
      beats are gone is deleted.

      EXAMPLES
        hrgate derive
        hrgate derive --from 2026-11-01T00:00:00Z
        hrgate derive --from 2026-11-21T00:00:00Z --to 2026-11-22T00:00:00Z --json
      """))

  @Option(
    help: ArgumentHelp(
      "Derive anew from this time on (default: what changed since figures were last derived).",
      valueName: "time"), transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp("With --from: up to this time (default: all that is there).", valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @OptionGroup var days: TimeZoneOption
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the counts as a JSON object.")
  var json = false

  func validate() throws {
    if to != nil, from == nil { throw ValidationError("--to needs --from.") }
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
    "\(Counted.text(written, "figure")) written, \(replaced) replaced, \(withdrawn) withdrawn, \(unchanged) unchanged"
  }
}
