import Glibc
import LibFuzzer

// Set once, before libFuzzer calls the function below for the first time, and only read from then on.
nonisolated(unsafe) private var target: ([UInt8]) -> Void = { _ in }

/// Hands the process over to libFuzzer, which calls `body` with one input after another. A trap in it is a
/// finding.
public func fuzz(_ body: @escaping ([UInt8]) -> Void) -> Never {
  target = body
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  exit(
    LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      target(Array(UnsafeBufferPointer(start: start, count: count)))
      return 0
    })
}
