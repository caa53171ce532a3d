import Foundation

/// Packet logs of real devices that others have published, and that this package may not pass on.
///
/// Whoever has them puts them into a folder that the environment variable HRGATE_SHARED names, or into
/// `../shared`, below `captures`. They are arguments of tests, and a clone by itself has none: nothing of the
/// package depends on them.
enum PublishedRecordings {
  private static let directory: URL = {
    if let folder = ProcessInfo.processInfo.environment["HRGATE_SHARED"] {
      return URL(filePath: folder).appending(path: "captures")
    }
    return URL(filePath: Recordings.path("../../shared/captures")).standardizedFileURL
  }()

  /// The paths of those that are there.
  static func present(_ names: String...) -> [String] {
    names.map { directory.appending(path: $0).path }.filter { FileManager.default.fileExists(atPath: $0) }
  }
}
