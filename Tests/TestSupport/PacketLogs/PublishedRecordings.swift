import Foundation

/// Packet logs of real devices that others have published and that this package may not redistribute.
///
/// If you have them, put them into `captures` in the directory that the environment variable HRGATE_SHARED
/// names, or in `../shared`. They are arguments of tests. A fresh clone has none, and nothing in the
/// package depends on them.
enum PublishedRecordings {
  private static let directory: URL = {
    if let folder = ProcessInfo.processInfo.environment["HRGATE_SHARED"] {
      return URL(filePath: folder).appending(path: "captures")
    }
    return URL(filePath: Recordings.path("../../shared/captures")).standardizedFileURL
  }()

  /// Returns the paths of the files that exist.
  static func present(_ names: String...) -> [String] {
    names.map { directory.appending(path: $0).path }.filter { FileManager.default.fileExists(atPath: $0) }
  }
}
