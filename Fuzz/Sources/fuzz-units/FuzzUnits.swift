import FuzzDriver
import HealthFormats

/// Reads the input as a unit; one that is read must be written as a string that reads as an equal unit.
@main
enum FuzzUnits {
  static func main() {
    fuzz { bytes in test(String(decoding: bytes, as: UTF8.self)) }
  }
}

private func test(_ text: String) {
  guard let unit = try? UnitForm(parsing: text) else { return }
  guard let again = try? UnitForm(parsing: unit.unitString) else {
    preconditionFailure("\(text) is written as \(unit.unitString), which is none")
  }
  precondition(again.factors == unit.factors)
  precondition(again.isCompatible(with: unit))
}
