import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// Deletes samples.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete samples by type, source and time.",
    discussion: .paragraphs(
      """
      Says how many samples of which types match, and asks. Programs that follow the store, and destinations, are told of each deletion, and
      delete what they have of it. What a monitor sends is stored anew, also where a log is replayed once more. The room in the file is used for
      what comes; `hrgate store vacuum` gives it back to the disk.

      EXAMPLES
        hrgate delete --type heartRate --from 2026-11-21 --to 2026-11-22
        hrgate delete --source "Polar H10 12345678" --yes
      """))

  @OptionGroup var selection: SelectionOptions
  @Option(
    help: "The type: heartRate, activeEnergyBurned, heartbeatSeries … (default: all that are stored)",
    transform: TypeArgument.read)
  var type: TypeArgument?
  @Flag(help: "Delete everything: needed where neither type, source nor time is named.")
  var everything = false
  @Flag(help: "Do not ask.")
  var yes = false
  @OptionGroup var store: StoreOptions

  private var namesSomething: Bool {
    type != nil || selection.source != nil || selection.from != nil || selection.to != nil
  }

  func validate() throws {
    guard namesSomething != everything else {
      throw ValidationError(
        everything
          ? "--everything cannot be used with a type, a source or a time."
          : "Name a type, a source or a time; --everything deletes all samples.")
    }
  }

  func run() async throws {
    let store = try await store.openForReading()
    let predicate = try await selection.predicate(in: store)
    let types = type.map { [$0.type] } ?? TypeArgument.all
    let predicates = types.map { HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate) }
    let counts = try await store.counts(predicates)
    let total = counts.values.reduce(0, +)
    guard total > 0 else { return try StandardOutput.write("nothing matches") }
    for (type, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      try StandardOutput.write("  \(count) × \(TypeArgument.shortName(ofIdentifier: type))")
    }
    try StandardOutput.flush()
    guard yes || Self.agrees(to: "delete \(Counted.text(total, "sample"))? [y/n] ") else {
      throw Failure("nothing is deleted")
    }
    let interruption = Interruption()
    let bar = try SampleProgress(self.store.file, of: total)
    let deleted = try await store.deleteMatching(predicates) { count in
      bar.show(count)
      return !interruption.hasHappened
    }
    bar.end()
    try StandardOutput.write("deleted: \(Counted.text(deleted, "sample"))")
    if interruption.hasHappened, deleted < total { throw ExitCode.failure }
  }

  /// Whatever is no yes is a no, the end of the input too.
  private static func agrees(to question: String) -> Bool {
    StandardError.show(question)
    return ["y", "yes"].contains((readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased())
  }
}
