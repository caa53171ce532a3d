import GRDB

/// For which hours a read may use and keep summaries.
package struct SummaryScope: Sendable {
  /// Whole hours, as a time, of which it sees all samples and what their figures depend on; empty if there
  /// are none.
  package var hours: Range<Int64>
  /// Where the change log ended when it began.
  package var position: Int64
}

extension SampleDatabase {
  /// As `foldValues`, but an hour may come as its summary instead of its samples, and instants
  /// at once.
  ///
  /// Only a question for all samples of the type in a window gets summaries.
  /// - Parameters:
  ///   - bodyOfHour: takes an hour; or returns false to get its samples, which then come next.
  ///   - bodyOfInstants: takes some at once; or returns false to get its samples, which then come next.
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
