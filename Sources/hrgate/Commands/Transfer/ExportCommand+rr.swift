import Foundation
import HealthKit
import HealthSystem
import HeartRateVariability

extension ExportCommand {
  /// Writes the beats of one source as RR intervals.
  ///
  /// - Returns: Notices for the user.
  /// - Throws: ``CommandError`` if no beats match, or beats of several sources.
  func writeIntervals(for tool: RRTool, from store: HKHealthStore, to file: OutputFile) async throws
    -> [String]
  {
    let sources = try await StoredBeats.bySource(
      in: store, matching: selection.predicate(in: store, options: []))
    guard let beats = sources.first else {
      throw CommandError("no stored heartbeat matches; check --from, --to and --source")
    }
    guard sources.count == 1 else {
      let names = sources.map { "\($0.source.name) (\($0.source.bundleIdentifier))" }
      // Beats from two straps on one person would be counted twice.
      throw CommandError(
        "heartbeats of several monitors match; choose one with --source: \(names.joined(separator: ", "))")
    }
    let from = selection.start?.timeIntervalSince1970 ?? -.infinity
    let to = selection.end?.timeIntervalSince1970 ?? .infinity
    let wanted = beats.segments.compactMap { $0.part(from: from, to: to) }
    guard !wanted.isEmpty else {
      throw CommandError("no stored heartbeat matches; check --from, --to and --source")
    }
    var text = tool.text(Cleaning.usual.mark(wanted))
    text.overlapping += beats.merged.dropped
    for line in text.lines { try file.write(line + "\n") }
    return text.notices
  }
}
