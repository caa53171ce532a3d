import Foundation

/// Calls `body` with the path of a file that does not exist, and deletes the file afterwards.
func withTemporaryPath<Result>(_ body: (String) throws -> Result) throws -> Result {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try body(path)
}
