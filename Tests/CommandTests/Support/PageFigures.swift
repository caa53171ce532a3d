import Foundation
import Testing

/// Figures of the page beside those of the command line.
enum PageFigures {
  /// What lines of heart-rate variability have and the page does not tell.
  private static let untold: Set = [
    "triangularIndex", "sampleEntropy", "hfnu", "lfnu", "vlf", "sdsd", "sd1sd2", "nn50", "pnn20",
    "dfaAlpha2",
  ]

  /// Of a time as lines have it, to the millionth of a second.
  static func milliseconds(_ text: Any?) throws -> Double {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // The style knows thousandths; what a store has are millionths.
    let text = try #require(text as? String)
    let digits = String(String(text.dropLast()).suffix(6))
    let millionths = try #require(Double("0." + digits))
    let whole = try style.parse(text.replacing(#/\.\d+Z$/#, with: ".000Z"))
    return (whole.timeIntervalSince1970 + millionths) * 1000
  }

  /// The other way.
  static func text(_ milliseconds: Double) -> String {
    let microseconds = Int64((milliseconds * 1000).rounded())
    let whole = Date(timeIntervalSince1970: Double(microseconds / 1_000_000)).formatted(.iso8601)
    let digits = String(microseconds % 1_000_000)
    return "\(whole.dropLast()).\(String(repeating: "0", count: 6 - digits.count))\(digits)Z"
  }

  /// Every number of one that is in the other is the same there.
  static func expectEqual(_ page: [String: Any], _ line: [String: Any], _ what: String) throws {
    for (name, value) in line {
      guard name != "type", name != "source" else { continue }
      if ["start", "end"].contains(name) {
        let told = try #require(page[name] as? Double, "\(what) \(name)")
        let printed = try milliseconds(value)
        #expect(abs(told - printed) < 0.001, "\(what) \(name)")
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
