import Foundation
import HealthDataSync
import HealthKit

/// Converts records to lines of a file.
struct LineFormat: Sendable {
  let format: FilesAddress.Format
  let person: String
  private let json: JSONLine

  init(_ format: FilesAddress.Format, person: String) {
    self.format = format
    self.person = person
    json = JSONLine(isSnakeCase: format == .omh)
  }

  var samplesName: String { format == .omh ? "datapoints" : "samples" }
  var ending: String { format == .csv ? "csv" : "ndjson" }

  /// Whether deletions are written to separate files, because a file of samples in this format cannot contain
  /// them.
  var hasDeletionsApart: Bool { format != .ndjson }

  var samplesHeading: String { format == .csv ? SampleLine.csvHeading + "\n" : "" }
  var deletionsHeading: String { format == .csv ? "uuid,type\n" : "" }

  /// Returns the reason why samples of a type are never written, or `nil`.
  func reasonToReject(_ type: HKSampleType) -> String? {
    format == .omh && !DataPoint.hasSchema(for: type) ? DataPoint.noSchema(for: type) : nil
  }

  /// Returns whether the line of another record contains the value of this one. In Open mHealth, the line of
  /// a blood pressure contains its two values.
  func isInAnother(_ record: ExternalRecord) -> Bool { format == .omh && record.isInBloodPressure }

  /// Returns the lines of a record, including their line ends. In Open mHealth, a series with a single beat
  /// has no lines.
  ///
  /// - Throws: `DataPoint.UnmappedError`; `EncodingError`.
  func lines(of record: ExternalRecord, at time: Date) throws -> String {
    switch format {
    case .ndjson: return try json.line(SampleLine(record)) + "\n"
    case .csv: return try SampleLine(record).csv(json) + "\n"
    case .omh:
      let points = try DataPoint.all(of: record, person: person, created: time)
      return try points.map { try json.line($0) + "\n" }.joined()
    }
  }

  func deletion(of uuid: UUID, type: String) throws -> String {
    format == .csv
      ? CSVText.line([uuid.uuidString, type]) + "\n" : try json.line(["deleted": uuid.uuidString]) + "\n"
  }
}
