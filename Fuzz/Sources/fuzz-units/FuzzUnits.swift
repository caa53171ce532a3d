import Foundation
import LibFuzzer

/// Reads the input as a unit; one that is read must be written as a string that reads as an equal unit.
@main
enum FuzzUnits {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        test(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        return 0
      })
  }
}

private func test(_ text: String) {
  guard let unit = try? HKUnit.validated(from: text) else { return }
  guard let again = try? HKUnit.validated(from: unit.unitString) else {
    preconditionFailure("\(text) is written as \(unit.unitString), which is none")
  }
  precondition(again == unit)
}
