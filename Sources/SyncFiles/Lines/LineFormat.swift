import Foundation
import HealthDataSync
import HealthKit

/// What stands in the files of a format.
struct LineFormat {
  /// Why a record has no line; a sentence for the user.
  struct Inexpressible: Error {
    let reason: String
  }

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

  /// With the ends of the lines, of which there are none for a series of one beat in Open mHealth.
  func lines(of record: ExternalRecord, at time: Date) throws -> String {
    switch format {
    case .ndjson: return try json.line(SampleLine(record)) + "\n"
    case .csv: return try SampleLine(record).csv(json) + "\n"
    case .omh:
      guard let points = DataPoint.all(of: record, person: person, created: time) else {
        throw Inexpressible(
          reason: "Open mHealth has no schema for samples of type \(record.sample.sampleType.identifier)")
      }
      return try points.map { try json.line($0) + "\n" }.joined()
    }
  }

  func deletion(of uuid: UUID, type: String) throws -> String {
    format == .csv
      ? CSVText.line([uuid.uuidString, type]) + "\n" : try json.line(["deleted": uuid.uuidString]) + "\n"
  }
}
