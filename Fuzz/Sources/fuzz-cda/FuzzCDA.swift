import Foundation
import FuzzDriver
import HealthFormats

/// Reads the input as a CDA document.
@main
enum FuzzCDA {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  guard let summary = try? CDASummary(of: Data(bytes)) else { return }
  _ = summary.title + summary.patientName + summary.authorName + summary.custodianName
}
