import ArgumentParser
import Foundation
import HealthDataSync
import HealthSystem

/// Compacts old samples.
struct StoreCondenseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "condense",
    abstract: "Pack dense samples that are older than an hour, all at once.",
    discussion: .paragraphs(
      """
      A heart rate then takes a few bytes in place of a hundred, and stays what it was: every program of this version is told the same as before.
      One of an earlier version would not see what is packed: as long as it may have the store open, nothing is. A gateway of this version may run
      meanwhile, and its writes go first.

      What was packed is read again and compared before its rows are deleted. An hour that would not be the same stays as it was, and is told.
      Ctrl-C ends it after the hour in hand, and what is packed stays packed. The room in the file is used for what comes; `hrgate store vacuum`
      gives it back to the disk.
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the counts as a JSON object.")
  var json = false

  func run() async throws {
    let condensing = StoreCondensing(try store.openExistingSystem())
    let interruption = Interruption()
    let bar = try SampleProgress(store.file, of: await condensing.most())
    let report = try await condensing.run(at: Date()) { packed in
      bar.show(packed)
      return !interruption.hasHappened
    }
    bar.end()
    let line = StoreCondenseLine(store: try store.file, report)
    try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    if !report.isDone { throw ExitCode.failure }
  }
}

/// The result of `hrgate store condense --json`. The field names are stable.
struct StoreCondenseLine: Encodable {
  var store: String
  /// Number of samples that were packed.
  var packed: Int
  /// Number of packed segments: one hour of one sample type from one source.
  var hours: Int
  /// Number of hours that could not be packed and are unchanged.
  var left: Int
  /// The last of those hours, and the reason.
  var reason: String?
  /// Whether the command was interrupted.
  var stopped: Bool

  init(store: String, _ report: StoreCondensing.Report) {
    self.store = store
    packed = report.packed
    hours = report.hours
    left = report.left
    reason = report.reason
    stopped = !report.isDone
  }

  /// The result as text.
  var text: String {
    var lines = [
      "\(store.plain): \(Counted.text(packed, "sample")) of \(Counted.text(hours, "hour")) packed"
    ]
    if left > 0 {
      lines.append(
        "  \(Counted.text(left, "hour stays", "hours stay")) as \(left == 1 ? "it was" : "they were"), the last one is \((reason ?? "").plain)"
      )
      lines.append("  `hrgate store check` says whether the store is damaged")
    }
    if stopped { lines.append("  stopped; the same command does the rest") }
    if packed > 0, !stopped { lines.append("  `hrgate store vacuum` gives the room back to the disk") }
    return lines.joined(separator: "\n")
  }
}
