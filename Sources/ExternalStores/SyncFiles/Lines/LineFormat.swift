import Foundation
import HealthDataSync
import HealthKit

/// The lines in the files of a format.
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

  /// Deletions stand among the samples, or in files of their own where a line of them would not fit in.
  var hasDeletionsApart: Bool { format != .ndjson }

  var samplesHeading: String { format == .csv ? SampleLine.csvHeading + "\n" : "" }
  var deletionsHeading: String { format == .csv ? "uuid,type\n" : "" }

  /// Why no sample of a type has a line.
  func reasonToReject(_ type: HKSampleType) -> String? {
    format == .omh && !DataPoint.hasSchema(for: type) ? DataPoint.noSchema(for: type) : nil
  }

  /// Whether the line of another record has the values of this one: those of a blood pressure are in its
  /// line.
  func isInAnother(_ record: ExternalRecord) -> Bool { format == .omh && record.isInBloodPressure }

  /// With the ends of the lines. A series of one beat has none in Open mHealth.
  /// - Throws: `DataPoint.Unmapped`; `EncodingError`.
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
