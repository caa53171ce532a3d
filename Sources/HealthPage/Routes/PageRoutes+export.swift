import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

extension PageRoutes {
  /// Adds the routes that download samples and RR intervals. If a segment (a stored hour of compressed
  /// samples) is damaged, the download fails, because a file without that hour would look complete.
  ///
  /// - Parameter limit: Limits the number of simultaneous downloads. Each one keeps some samples in memory
  ///   until the client has read them.
  mutating func addExport(_ stores: StoreCache, _ limit: RequestLimit) {
    addSamplesFile(stores, limit)
    addIntervalsFile(stores, limit)
  }

  /// Maximum range in seconds of a download of RR intervals: enough for a week in which the clocks change.
  /// All intervals are in memory at once, because artifacts are detected across all of them.
  private static let longestIntervals = 8 * 86_400.0
  private static let linesAtATime = 4096

  /// Adds the route that downloads one source's RR intervals, in the format of `hrgate export --format rr`.
  private mutating func addIntervalsFile(_ stores: StoreCache, _ limit: RequestLimit) {
    reads["/api/export.rr"] = { request in
      guard let tool = RRTool(rawValue: request.parameters["for"] ?? RRTool.kubios.rawValue) else {
        let names = RRTool.allCases.map(\.rawValue).joined(separator: ", ")
        throw PageError.argument("The parameter for must be one of: \(names).")
      }
      let span = try request.span()
      guard span.duration <= Self.longestIntervals else {
        throw PageError.argument(
          "The page saves RR intervals of at most a week: hrgate export --format rr has no limit.")
      }
      let slot = try limit.slot()
      let choice = try request.choice()
      let store = try stores.store(for: request).skippingDamagedBlocks(false).healthStore
      let (from, to) = (span.start.timeIntervalSince1970, span.end.timeIntervalSince1970)
      let beats = try await StoredBeats.bySource(in: store, matching: choice.predicate([]))
      let recordings = beats.map { ($0.source, $0.segments.compactMap { $0.part(from: from, to: to) }) }
        .filter { !$1.isEmpty }
      guard let (source, segments) = recordings.first else {
        throw PageError.absent("There are no beats in this time.")
      }
      guard recordings.count == 1 else {
        // A file with the intervals of two straps on one person would contain each beat twice.
        throw PageError.argument("Several monitors have beats in this time: save the sessions one by one.")
      }
      let lines = tool.text(Cleaning.usual.mark(segments)).lines
      var response = PageResponse("text/plain; charset=utf-8") { body in
        defer { withExtendedLifetime(slot) {} }
        var rest = lines[...]
        while !rest.isEmpty {
          try await body.write(rest.prefix(Self.linesAtATime).flatMap { Array("\($0)\n".utf8) })
          rest = rest.dropFirst(Self.linesAtATime)
        }
      }
      let start = segments.first.map { Date(timeIntervalSince1970: $0.start) }
      let end = segments.last.map {
        Date(timeIntervalSince1970: $0.start + $0.intervals.reduce(0, +) / 1000)
      }
      response.fields["Content-Disposition"] = DownloadName.disposition(
        start, to: end, of: source.name, "rr", extension: "txt")
      return response
    }
  }

  private mutating func addSamplesFile(_ stores: StoreCache, _ limit: RequestLimit) {
    reads["/api/export.csv"] = { request in
      let slot = try limit.slot()
      let store = try stores.store(for: request).skippingDamagedBlocks(false).healthStore
      let (type, selection) = (try request.sampleType(), try request.choice())
      guard let span = try await store.extent(of: type, selection.predicate()) else {
        throw PageError.absent("There are no such samples.")
      }
      var response = PageResponse("text/csv; charset=utf-8") { body in
        defer { withExtendedLifetime(slot) {} }
        try await body.write(Array("\(SampleLine.csvHeading)\n".utf8))
        var walk = SpanWalk(span)
        while let part = walk.next {
          let lines = try await store.lines(of: type, selection, in: part)
          walk.found(lines.count)
          try await body.write(lines.text)
        }
      }
      response.fields["Content-Disposition"] = DownloadName.disposition(
        max(span.start, selection.from ?? span.start), to: min(span.end, selection.to ?? span.end),
        TypeName.short(type), extension: "csv")
      return response
    }
  }
}

/// Divides a time range into steps whose length adapts to the number of samples found. Memory use therefore
/// does not grow with the range, and no transaction stays open while a slow client reads.
struct SpanWalk: Sendable, Hashable {
  private static let shortest = 60.0
  private static let longest = 86_400.0 * 90
  private static let few = 1000
  private static let many = 20_000

  private let end: Date
  private var start: Date
  private var length = 3600.0

  init(_ span: DateInterval) { (start, end) = (span.start, span.end) }

  /// The next step, excluding its end; `nil` when the range is complete.
  var next: DateInterval? {
    start <= end ? DateInterval(start: start, duration: length) : nil
  }

  /// Advances to the next step.
  /// - Parameter count: The number of samples that were found in the current step.
  mutating func found(_ count: Int) {
    start += length
    if count < Self.few { length = min(length * 4, Self.longest) }
    if count > Self.many { length = max(length / 4, Self.shortest) }
  }
}

extension HKHealthStore {
  /// Returns the lines that `hrgate samples --csv` prints for samples that start in a time range.
  fileprivate func lines(
    of type: HKSampleType, _ selection: Selection, in span: DateInterval
  ) async throws -> (text: [UInt8], count: Int) {
    let inSpan = HKQuery.predicateForSamples(
      withStart: span.start, end: span.end, options: .strictStartDate)
    let both = NSCompoundPredicate(
      andPredicateWithSubpredicates: [inSpan] + (selection.predicate().map { [$0] } ?? []))
    return try await reduceSamples(
      into: ([UInt8](), 0), [HKSamplePredicate<HKSample>.sample(type: type, predicate: both)]
    ) { lines, sample in
      lines.0 += try SampleLine(sample).csv().utf8
      lines.0.append(UInt8(ascii: "\n"))
      lines.1 += 1
    }
  }
}
