import GRDB

/// The hours for which a read may use and store summaries.
package struct SummaryScope: Sendable {
  /// The range of whole hours in which the read sees all samples, including those that affect their figures;
  /// may be empty.
  package var hours: Range<Int64>
  /// The last position of the change log when the read began.
  package var position: Int64
}

extension SampleDatabase {
  /// Like `foldValues`, but passes hours as summaries and instants in groups where possible.
  ///
  /// Summaries are used only if the filter selects all samples of the type in a time window.
  /// - Parameters:
  ///   - bodyOfHour: takes the summary of an hour; returns false to receive its samples instead.
  ///   - bodyOfInstants: takes a group of instants; returns false to receive its samples instead.
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
        if try bodyOfHour(&result, hour) { read.skip(hour) } else { try samples(before: hour.end) }
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
