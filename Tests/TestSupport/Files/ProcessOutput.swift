import Foundation

extension Process {
  /// Runs the process, and returns its output when it has ended.
  ///
  /// The output goes to a file, not to a pipe. A server that another test starts at the same time can inherit
  /// the end of a pipe that the process writes to, and reading to the end would last until that server ends.
  /// - Parameter includingErrors: Whether the output includes standard error.
  func output(includingErrors: Bool = false) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "hrgate-output-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    standardOutput = handle
    if includingErrors { standardError = handle }
    try run()
    waitUntilExit()
    try handle.close()
    return try Data(contentsOf: file)
  }
}
