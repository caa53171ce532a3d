import Foundation
import HealthKit
import HeartRateVariability

extension ExportCommand {
  /// Writes the beats of one source as RR intervals.
  /// - Returns: what the user should know of them.
  func writeIntervals(for tool: RRTool, from store: HKHealthStore, to file: OutputFile) async throws
    -> [String]
  {
    let sources = try await StoredBeats.bySource(
      in: store, matching: selection.predicate(in: store, options: []))
    guard let (_, segments) = sources.first else { throw Failure("there are no such beats") }
    guard sources.count == 1 else {
      let names = sources.map { "\($0.source.name) (\($0.source.bundleIdentifier))" }
      // Two straps on one heart would count each beat twice.
      throw Failure(
        "there are beats of several sources; name one with --source: \(names.joined(separator: ", "))")
    }
    let wanted = segments.flatMap { $0.intervals(after: selection.from?.date, until: selection.to?.date) }
    guard !wanted.isEmpty else { throw Failure("there are no such beats") }
    let text = tool.text(Cleaning.usual.mark(wanted))
    for line in text.lines { try file.write(line + "\n") }
    return text.notices
  }
}

extension RRSegment {
  /// What begins and ends between two times: one segment, or none.
  fileprivate func intervals(after start: Date?, until end: Date?) -> [RRSegment] {
    let from = start?.timeIntervalSince1970 ?? -.infinity
    let to = end?.timeIntervalSince1970 ?? .infinity
    var time = self.start
    var first: Double?
    var wanted: [Double] = []
    for interval in intervals {
      let begin = time
      time += interval / 1000
      guard begin >= from, time <= to else { continue }
      first = first ?? begin
      wanted.append(interval)
    }
    return [first.flatMap { RRSegment(start: $0, intervals: wanted) }].compactMap(\.self)
  }
}
