import Foundation

/// The package's recordings in `Recordings`. The README there describes each.
enum Recordings {
  /// Packet logs of a real bluetoothd with a virtual strap. Beside each is a trace of the values that the
  /// strap sent.
  static let sessions = ["open-60s", "bonded-60s"]

  private static let directory: URL = {
    var package = URL(filePath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return package.appending(path: "Recordings")
  }()

  static func path(_ name: String) -> String { directory.appending(path: name).path }

  static func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }
}

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
