import Foundation

/// The recordings beside the repository that are not part of it: `../shared/captures`, or `captures` under the
/// directory that the environment variable HRGATE_SHARED names.
enum SharedCaptures {
  static let directory: URL = {
    if let shared = ProcessInfo.processInfo.environment["HRGATE_SHARED"] {
      return URL(fileURLWithPath: shared).appendingPathComponent("captures")
    }
    var repository = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { repository.deleteLastPathComponent() }
    return repository.appendingPathComponent("../shared/captures").standardizedFileURL
  }()

  /// Why a test that needs them is skipped.
  static let absence = "the shared captures are not beside this checkout"

  static var arePresent: Bool { FileManager.default.fileExists(atPath: directory.path) }

  static func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  static func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }
}
