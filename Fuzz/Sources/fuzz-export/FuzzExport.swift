import AppleHealthExport
import Dispatch
import FuzzDriver
import Glibc

/// Parses the input as an export of the iPhone's Health app. Every record must be imported or counted as
/// invalid, with a reason.
@main
enum FuzzExport {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  // tmpfile() returns a file without a name, which is deleted when it is closed.
  guard let file = tmpfile() else { preconditionFailure("no file can be made") }
  defer { fclose(file) }
  precondition(fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0)
  let isDone = DispatchSemaphore(value: 0)
  let path = "/proc/self/fd/\(fileno(file))"
  Task {
    let outcome = await AppleHealthImport(path: path).run(into: nil)
    let records = outcome.records
    precondition(records.records == records.read.values.reduce(0, +) + records.rejected)
    precondition(outcome.bytesRead <= bytes.count || outcome.totalBytes != Int64(bytes.count))
    isDone.signal()
  }
  isDone.wait()
}
