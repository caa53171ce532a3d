import Foundation
import HealthDataSync
import Testing

@testable import TestSupport

/// Figures of the page beside those of the command line.
enum PageFigures {
  /// What lines of heart-rate variability have and the page does not tell.
  private static let untold: Set = [
    "triangularIndex", "sampleEntropy", "hfnu", "lfnu", "vlf", "sdsd", "sd1sd2", "nn50", "pnn20",
    "dfaAlpha2",
  ]

  /// Every number of one that is in the other is the same there.
  static func expectEqual(_ page: [String: Any], _ line: [String: Any], _ what: String) throws {
    for (name, value) in line {
      guard name != "type", name != "source" else { continue }
      if ["start", "end"].contains(name) {
        #expect(page[name] as? String == value as? String, "\(what) \(name)")
      } else if let number = value as? Double, page[name] != nil {
        let told = try #require(page[name] as? Double, "\(what) \(name)")
        // What is kept of hours is added up in another order than single values are.
        let room = name == "average" ? 1e-12 * number : 0
        // For programs energy is in kJ always, on the page in what its reader is used to.
        let isOther = line["unit"] as? String == "kJ" && page["unit"] as? String == "kcal" && name != "count"
        let isSame = isOther ? abs(told * 4.184 - number) < 1e-9 * number : abs(told - number) <= room
        #expect(isSame, "\(what) \(name): \(told) on the page, \(number) in the line")
      }
    }
    let numbers = line.filter { $0.value is Double && !untold.contains($0.key) }
    #expect(Set(numbers.keys).subtracting(page.keys).isEmpty, "\(what)")
  }
}

extension PageClient.Answer {
  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONLine.decode(type, from: body)
  }
}
