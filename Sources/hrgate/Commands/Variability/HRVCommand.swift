import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// Prints measures of heart-rate variability, window by window.
struct HRVCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrv",
    abstract: "Show heart-rate variability (SDNN, RMSSD, LF/HF and more), by default for each five minutes.",
    discussion: .paragraphs(
      """
      Computed from the stored beats, separately for each source (app or device). Artifacts are detected with the method of Lipponen and
      Tarvainen and left out; intervals are not joined across an artifact or a gap. The first window starts at --from, and each next window
      where the previous one ends or, with --every, that time after the previous one started. Without --from, windows of 5m start at 10:00,
      10:05 and so on; windows of 1d are local calendar days. --window all is one window over all data; it averages the spectral powers (LF,
      HF …) of parts of five to ten minutes without gaps. A measure that cannot be computed is reported with the reason. --explain defines each
      measure.

      A file can be read instead of a store: one interval per line, or a time and an interval, in milliseconds or seconds, as written by
      `hrgate export --format rr` and other programs. Such files have no recording time; give it with --start.

      EXAMPLES
        hrgate hrv
        hrgate hrv --from 2026-11-21T06:00:00Z --to 2026-11-21T07:00:00Z --json
        hrgate hrv --window 2m --every 5s
        hrgate hrv --window 5m --method welch
        hrgate hrv --window all --source org.hrgate.monitor.F0:0D:BE:A7:07:01
        hrgate hrv morning.txt --start 2026-11-21T06:00:00Z
        hrgate hrv --explain
      """))

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case lomb
    case welch
  }

  @Argument(
    help: ArgumentHelp(
      "A text file of RR intervals to read instead of the store, one per line in seconds or milliseconds; - is standard input."
    ),
    completion: .file())
  var file: String?
  @Option(
    help: ArgumentHelp(
      "Time of the first beat in the file, such as 2026-11-21T06:00:00Z (default: 1970-01-01T00:00:00Z).",
      valueName: "time"),
    transform: TimeArgument.read)
  var start: TimeArgument?
  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp(
      "Compute one result for each time window of this length, from 10s to 1d, such as 2m; or the word all for one result over all data (default: 5m).",
      valueName: "span"),
    transform: HRVWindow.read)
  var window = HRVWindow.fiveMinutes
  @Option(
    help: ArgumentHelp(
      "Time from the start of one window to the start of the next, such as 5s. If it is less than --window, windows overlap (default: the length of the window).",
      valueName: "span"),
    transform: SpanArgument.read)
  var every: SpanArgument?
  @Option(
    help:
      "Method for the power spectrum (LF and HF): lomb (Lomb-Scargle, without resampling) or welch (Welch, with resampling)."
  )
  var method = Method.lomb
  @Flag(
    help: "Replace wrongly measured intervals (artifacts) by interpolated ones instead of leaving them out.")
  var correct = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each time window.")
  var json = false
  @Flag(help: "Print the definition of each measure and exit.")
  var explain = false

  func validate() throws {
    if file == nil, start != nil { throw ValidationError("--start requires a file.") }
    if file != nil, selection.source != nil || store.path != nil || store.person != nil {
      throw ValidationError("A file cannot be used with --source, --store or --person.")
    }
    guard let every else { return }
    guard case .span(let span) = window else {
      throw ValidationError("--every requires a window with a length.")
    }
    guard every.seconds <= span.seconds, every.seconds * 1000 >= span.seconds else {
      throw ValidationError("--every must be at most the window's length and at least a thousandth of it.")
    }
  }

  func run() async throws {
    guard !explain else {
      for line in HRVDefinitions.lines { try StandardOutput.write(line) }
      return
    }
    var isEmpty = true
    for part in try await beats() {
      let marked = Cleaning.usual.mark(part.segments)
      let recording = correct ? marked.corrected() : marked
      let lines = lines(of: recording, part.source)
      if lines.isEmpty { continue }
      isEmpty = false
      try write(lines, of: recording, part.title)
    }
    if isEmpty { StandardError.print("no stored heartbeat matches; check --from, --to and --source") }
  }

  /// Reads the beats.
  ///
  /// - Returns: For each source, its name in JSON, its title for the terminal, and its segments.
  private func beats() async throws -> [(source: String, title: String, segments: [RRSegment])] {
    if let file {
      let start = start?.date(in: selection.days.zone).timeIntervalSince1970 ?? 0
      return [(file, file.plain, try RRFile(file).segments(firstBeat: start))]
    }
    let store = try await store.openForReading()
    return try await StoredBeats.bySource(
      in: store, matching: selection.predicate(in: store, options: [])
    ).map { beats in
      let title = "\(beats.source.name.plain)  \(beats.source.bundleIdentifier.plain)"
      return (beats.source.bundleIdentifier, title, beats.segments)
    }
  }

  private func lines(of recording: MarkedRecording, _ source: String) -> [VariabilityView] {
    let analysis = VariabilityAnalysis(
      spectrumMethod: method == .lomb ? .lombScargle(LombScargle()) : .welch(Welch()))
    let from = selection.start?.timeIntervalSince1970
    let to = selection.end?.timeIntervalSince1970
    guard case .span(let span) = window else {
      guard let window = recording.extent(from: from, to: to) else { return [] }
      return [VariabilityView(window, recording.pooled(in: window), of: recording, analysis, source: source)]
    }
    return windows(of: recording, span, from)
      .filter { $0.start >= from ?? -.infinity && $0.end <= to ?? .infinity }
      .map { VariabilityView($0, recording.nn(in: $0), of: recording, analysis, source: source) }
  }

  /// Returns calendar days if a window is a day; otherwise windows at multiples of the step, starting at
  /// `--from`.
  private func windows(of recording: MarkedRecording, _ span: SpanArgument, _ from: Double?) -> [Window] {
    let calendar = Calendar.gregorian(in: selection.days.zone)
    let beginsAtMidnight = selection.start.map { calendar.startOfDay(for: $0) == $0 } ?? true
    guard span.seconds == 86_400, every == nil, beginsAtMidnight else {
      return WindowPlan(
        duration: Double(span.seconds), every: every.map { Double($0.seconds) }, origin: from ?? 0
      ).windows(of: recording)
    }
    // Find the days with beats: all that contain the start or end of a 24-hour window with beats.
    let starts = WindowPlan(duration: 86_400).windows(of: recording).flatMap { [$0.start, $0.end] }
    let days = Set(
      starts.compactMap { calendar.dateInterval(of: .day, for: Date(timeIntervalSince1970: $0)) })
    return days.sorted { $0.start < $1.start }.compactMap {
      Window(start: $0.start.timeIntervalSince1970, end: $0.end.timeIntervalSince1970)
    }.filter { recording.nn(in: $0).measured > 0 }
  }

  private func write(_ lines: [VariabilityView], of recording: MarkedRecording, _ title: String) throws {
    guard !json else {
      for line in lines { try StandardOutput.write(JSONLine.text(line)) }
      return
    }
    try StandardOutput.write(title)
    for line in Tachogram.lines(of: recording, lines) + HRVTable.lines(lines) {
      try StandardOutput.write(line)
    }
  }
}
