import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// Deletes samples.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete stored samples, chosen by type, source and time, or by UUID.",
    discussion: .paragraphs(
      """
      Prints the number of matching samples by type, and asks for confirmation. Programs with queries for changes and sync
      destinations receive each deletion. A running gateway continues to store new measurements, and hrgate replay stores the
      measurements of a log again. Free space in the file is reused; `hrgate store vacuum` returns it to the disk.

      --uuid deletes single samples of any source, imported ones included. As in Apple's Health app, a blood pressure
      is one entry: the UUID of the entry or of one of its two values deletes all three. Deleting a workout keeps the samples
      measured during it.

      EXAMPLES
        hrgate delete --type heartRate --from 2026-11-21 --to 2026-11-22
        hrgate delete --source "Polar H10 12345678" --yes
        hrgate delete --uuid 5F0C63C2-31D4-4A2B-9C39-6D3A1C1B4F10
      """))

  @OptionGroup var selection: SelectionOptions
  @Option(
    help:
      "Delete only samples of this type, such as heartRate, activeEnergyBurned or heartbeatSeries (default: all types).",
    transform: TypeArgument.read)
  var type: TypeArgument?
  @Option(
    help:
      "The UUID of a sample to delete, as printed by hrgate samples --json and hrgate add; may be repeated.",
    transform: UUIDArgument.read)
  var uuid: [UUIDArgument] = []
  @Flag(help: "Delete all samples of all types. Cannot be used with a type, source or time.")
  var everything = false
  @Flag(help: "Delete without asking for confirmation.")
  var yes = false
  @OptionGroup var store: StoreOptions

  private var namesSomething: Bool {
    type != nil || selection.source != nil || selection.from != nil || selection.to != nil
  }

  func validate() throws {
    if !uuid.isEmpty, namesSomething || everything {
      throw ValidationError("--uuid cannot be used with a type, a source, a time or --everything.")
    }
    guard uuid.isEmpty, namesSomething == everything else { return }
    throw ValidationError(
      everything
        ? "--everything cannot be used with a type, a source or a time."
        : "Give a type, a source, a time or a UUID; --everything deletes all samples.")
  }

  func run() async throws {
    let store = try await store.openForReading()
    guard uuid.isEmpty else { return try await deleteNamed(in: SystemStore(store)) }
    let predicate = try await selection.predicate(in: store)
    let types = type.map { [$0.type] } ?? TypeArgument.all
    let predicates = types.map { HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate) }
    let counts = try await store.counts(predicates)
    let total = counts.values.reduce(0, +)
    guard total > 0 else { return try StandardOutput.write("no sample matches") }
    try confirm(counts)
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

  /// Deletes the samples with the given UUIDs, all or none.
  private func deleteNamed(in store: SystemStore) async throws {
    for named in uuid where try await store.counts(of: [named.uuid]).isEmpty {
      throw CommandError(
        "no sample has the UUID \(named); list samples with their UUIDs: hrgate samples --json")
    }
    let uuids = try await store.deletedTogether(with: Set(uuid.map(\.uuid)))
    try confirm(try await store.counts(of: uuids))
    let deleted = try await store.delete(uuids)
    try StandardOutput.write("deleted: \(Counted.text(deleted, "sample"))")
  }

  /// Prints the number of samples to delete of each type, and asks unless ``yes`` is set.
  /// - Throws: ``CommandError`` if the user does not agree.
  private func confirm(_ counts: [String: Int]) throws {
    for (type, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      try StandardOutput.write("  \(count) × \(TypeArgument.shortName(ofIdentifier: type))")
    }
    try StandardOutput.flush()
    let total = counts.values.reduce(0, +)
    guard yes || Self.agrees(to: "Delete \(Counted.text(total, "sample"))? [y/n] ") else {
      throw CommandError("nothing was deleted")
    }
  }

  /// Asks for confirmation. Any input other than yes, including end of file, means no.
  static func agrees(to question: String) -> Bool {
    StandardError.show(question)
    return ["y", "yes"].contains((readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased())
  }
}

/// The UUID of a sample on the command line.
struct UUIDArgument: CheckedArgument, CustomStringConvertible {
  let uuid: UUID

  init?(argument: String) {
    guard let uuid = UUID(uuidString: argument) else { return nil }
    self.uuid = uuid
  }

  static func rule(for argument: String) -> String {
    "a UUID looks like 5F0C63C2-31D4-4A2B-9C39-6D3A1C1B4F10"
  }

  var description: String { uuid.uuidString }
}
