import Foundation
import FuzzDriver
import HealthKit

/// Reads the input as a CDA document.
@main
enum FuzzCDA {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  let moment = Date(timeIntervalSinceReferenceDate: 0)
  guard
    let sample = try? HKCDADocumentSample(data: Data(bytes), start: moment, end: moment, metadata: nil),
    let document = sample.document
  else { return }
  precondition(document.documentData == Data(bytes))
  _ = document.title + document.patientName + document.authorName + document.custodianName
}
