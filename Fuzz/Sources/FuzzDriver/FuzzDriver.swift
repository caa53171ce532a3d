import Glibc
import LibFuzzer

// Set once before libFuzzer first calls the function below, and only read afterwards.
nonisolated(unsafe) private var target: ([UInt8]) -> Void = { _ in }

/// Starts libFuzzer, which calls `body` with each input. A trap is a finding.
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
