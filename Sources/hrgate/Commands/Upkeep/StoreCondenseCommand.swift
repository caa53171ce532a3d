import ArgumentParser
import Foundation
import HealthDataSync
import HealthSystem

/// Compacts old samples into segments.
struct StoreCondenseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "condense",
    abstract: "Save disk space: compress stored samples that are older than an hour.",
    discussion: .paragraphs(
      """
      A compressed heart rate takes a few bytes instead of about a hundred. Programs that use this version of hrgate see the same samples as
      before. Programs of an earlier version cannot read compressed samples, so nothing is compressed while one may have the store open. A
      gateway (hrgate run) of this version may run meanwhile; its writes take priority.

      Samples are compressed in groups: one hour of one type from one source, such as the heart rates of one monitor. Each group is read back
      and compared before the original samples are deleted. If it differs, its samples stay as they are, and the command reports it. Ctrl-C
      stops after the current group. Free space in the file is reused; `hrgate store vacuum` returns it to the disk.
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the number of compressed samples as a JSON object instead of text.")
  var json = false

  func run() async throws {
    let condensing = StoreCompaction(try store.openExistingSystem())
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
  /// Number of samples that were compacted.
  var packed: Int
  /// Number of new segments. A segment has one hour of one sample type from one source.
  var hours: Int
  /// Number of hours whose samples could not be compacted and are unchanged, counted per type and source.
  var left: Int
  /// The last hour that could not be compacted, and the reason.
  var reason: String?
  /// Whether the command was interrupted.
  var stopped: Bool

  init(store: String, _ report: StoreCompaction.Report) {
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
      "\(store.plain): \(Counted.text(packed, "sample")) of \(Counted.text(hours, "hour")) compressed"
    ]
    if left > 0 {
      lines.append(
        "  \(Counted.text(left, "hour was", "hours were")) not compressed; the last: \((reason ?? "").plain)"
      )
      lines.append("  check the store for damage with `hrgate store check`")
    }
    if stopped { lines.append("  stopped; run the command again to continue") }
    if packed > 0, !stopped { lines.append("  `hrgate store vacuum` returns the free space to the disk") }
    return lines.joined(separator: "\n")
  }
}
