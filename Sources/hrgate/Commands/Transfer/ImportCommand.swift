import AppleHealthExport
import ArgumentParser
import HealthDataSync
import HealthKit
import HealthPage
import HealthSystem

/// Imports an export of the iPhone's Health app.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the health data that the iPhone's Health app exported.",
    discussion: .paragraphs(
      """
      On the iPhone: Health, the picture at the top right, Export All Health Data. The file is the resulting export.zip, the export.xml in it,
      or the unpacked folder; - is standard input. Samples keep their times, values, units, metadata and devices. Workouts keep their events
      and totals. The beats of a heart-rate variability record become a heartbeat series. Sources keep their names; bundle identifiers are
      derived from the names, because the export has none.

      Samples that are already stored are not stored again: importing a later export of the same phone, or the same one again, adds only new
      samples, even if a unit was changed on the phone. If an app or device (source) seems to have been renamed on the phone, its samples are
      stored a second time, and the command says how to delete the earlier ones.

      Characteristics are stored if the store has no value yet. Elements that are not imported are counted by name: statistics of workouts
      (computed from the stored samples), activity summaries, routes, electrocardiograms, and types that this version does not know. Records
      that cannot be read are counted with the reason; the rest is stored.

      EXAMPLES
        hrgate import export.zip
        hrgate import --dry-run --json apple_health_export/export.xml
        ssh mac cat export.zip | hrgate import -

      Exit status: 1 if the file is truncated or damaged; valid samples are stored anyway.
      """))

  @Argument(
    help: "The exported file: export.zip, export.xml, or the folder with it; - is standard input.",
    completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions
  @Flag(help: "Count the samples in the file, but store nothing.")
  var dryRun = false
  @Flag(help: "Print the counts as one JSON object instead of text.")
  var json = false

  func run() async throws {
    let interruption = Interruption()
    let reading = AppleHealthImport(path: file, isCancelled: { interruption.hasHappened })
    if let importError = reading.importError, !json { throw CommandError("\(file): \(importError)") }
    // Do not create a store if the file cannot be opened.
    let store = dryRun || reading.importError != nil ? nil : try store.open()
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
    if let store, outcome.isComplete {
      taken = try await SystemStore(store).setMissing(outcome.characteristics)
    }
    let line = ImportLine(file: file, outcome, taken: taken, isDryRun: dryRun)
    try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    try StandardOutput.flush()
    for notice in line.notices { StandardError.print(notice) }
    if !outcome.isComplete || outcome.records.problems[.damaged] != nil { throw ExitCode.failure }
  }
}
