import GRDB

/// The hours for which a read may use and store summaries.
package struct SummaryScope: Sendable {
  /// Whole hours for which the read gets all samples, including nearby samples that affect the statistics.
  /// May be empty.
  package var hours: Range<Int64>
  /// The last position in the change log when the read began.
  package var position: Int64
}

extension SampleDatabase {
  /// Like `foldValues`, but uses hourly summaries where possible.
  ///
  /// Summaries are used only if the filter selects all samples of one type, or of one type and source, in a
  /// period.
  /// - Parameters:
  ///   - bodyOfHour: Called with the summary of an hour. If it returns `false`, the samples of the hour are
  ///     read instead.
  ///   - bodyOfInstants: Called with many quantities without a duration at once. If it returns `false`,
  ///     `body` is called for each of them.
  package func foldSummarised<Result: Sendable>(
    _ filter: SampleFilter, type: String,
    prepare: @Sendable (SampledValueKeys, SummaryScope) throws -> Result,
    _ body: @Sendable (inout Result, SampledValue) throws -> Void,
    hour bodyOfHour: @Sendable (inout Result, HourSummary) throws -> Bool,
    instants bodyOfInstants: (@Sendable (inout Result, PackedInstants) throws -> Bool)? = nil
  ) async throws -> Result {
    let found: Result? = try await read { database in
      guard var read = try SummarisedRead(filter, admission, in: database) else { return nil }
      var result = try prepare(Self.keys(type, database), read.scope)
      let instants = bodyOfInstants.map { body in
        { (instants: PackedInstants) in try body(&result, instants) }
      }
      func samples(before end: Int64?) throws {
        try read.samples(before: end, instants: instants) { try body(&result, $0) }
      }
      while let hour = try read.hours.next() {
        try samples(before: hour.start)
        let isDone: Bool
        switch read.selected(of: hour) {
        case .nothing: isDone = true
        case .summary(let selected): isDone = try bodyOfHour(&result, selected)
        case .unknown: isDone = false
        }
        if isDone { read.skip(hour) } else { try samples(before: hour.end) }
      }
      try samples(before: nil)
      return result
    }
    if let found { return found }
    return try await foldValues(
      filter, type: type, prepare: { try prepare($0, SummaryScope(hours: 0..<0, position: 0)) },
      instants: bodyOfInstants, body)
  }
}
