import AppleHealthExport
import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Imports an export of the iPhone's Health app.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store the samples of an export of the iPhone's Health app.",
    discussion: .paragraphs(
      """
      On the iPhone: Health, the picture at the top right, Export All Health Data. The file is the export.zip that this makes, the export.xml
      in it, or the folder that it unpacks to; - is standard input. Samples keep their times, values, units, metadata and devices; workouts keep their events and totals, and the beats of a record of
      heart-rate variability become a heartbeat series. The name of a source is the export's; its bundle identifier is derived from it, for an
      export has none.

      What is stored already is not stored again: import a later export of the same phone, or this one once more, and only what is new is added,
      also if a unit was changed on the phone. If a source appears to have been renamed there, its samples are stored again, and the command says
      how to delete the earlier ones.

      What the user says of themselves is taken over where the store has nothing yet. What is not stored is counted by its name: statistics of
      workouts, which are made of records that are stored, activity summaries, routes, electrocardiograms, and types that this version does not
      know. A record that cannot be read is counted with the reason, and the rest is stored.

      EXAMPLES
        hrgate import export.zip
        hrgate import --dry-run --json apple_health_export/export.xml
        ssh mac cat export.zip | hrgate import -

      Exit status 1 where the file ends too early or is damaged somewhere; what was sound is stored all the same.
      """))

  @Argument(help: "The export: export.zip, export.xml, their folder, or -.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions
  @Flag(help: "Read and count; store nothing.")
  var dryRun = false
  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let interruption = Interruption()
    let reading = AppleHealthImport(path: file, isCancelled: { interruption.hasHappened })
    if let obstacle = reading.obstacle, !json { throw Failure("\(file): \(obstacle)") }
    // Do not create a store if the file cannot be opened.
    let store = dryRun || reading.obstacle != nil ? nil : try store.open()
    var bar = ProgressBar(file)
    let outcome = await reading.run(
      into: store,
      progress: { outcome in
        bar.show(
          done: outcome.bytesRead, of: outcome.totalBytes, Counted.text(outcome.records.records, "sample"))
      },
      isStopped: { interruption.hasHappened })
    bar.end()
    var taken: [StatedCharacteristic] = []
    if let store, outcome.isComplete { taken = try await takeOver(outcome.characteristics, store) }
    let line = ImportLine(file: file, outcome, taken: taken, isDryRun: dryRun)
    try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    try StandardOutput.flush()
    for notice in line.notices { StandardError.tell(notice) }
    if !outcome.isComplete || outcome.records.flaws[.damaged] != nil { throw ExitCode.failure }
  }

  /// Stores the characteristics that are not set yet. Values set in the store take precedence over the
  /// phone's.
  private func takeOver(
    _ stated: [StatedCharacteristic], _ store: HKHealthStore
  ) async throws -> [StatedCharacteristic] {
    let system = try SystemStore(store)
    let set = Set(try StatedCharacteristic.all(in: store).map(\.type))
    let new = stated.filter { !set.contains($0.type) }
    for characteristic in new {
      try await system.setCharacteristic(characteristic.type, to: characteristic.value)
    }
    return new
  }
}
