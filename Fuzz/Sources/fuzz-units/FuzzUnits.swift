import FuzzDriver
import HealthFormats

/// Parses the input as a unit. A valid unit must survive formatting and parsing.
@main
enum FuzzUnits {
  static func main() {
    fuzz { bytes in test(String(decoding: bytes, as: UTF8.self)) }
  }
}

private func test(_ text: String) {
  guard let unit = try? UnitForm(parsing: text) else { return }
  guard let again = try? UnitForm(parsing: unit.unitString) else {
    preconditionFailure("\(text) is formatted as \(unit.unitString), which is invalid")
  }
  precondition(again.factors == unit.factors)
  precondition(again.isCompatible(with: unit))
}
