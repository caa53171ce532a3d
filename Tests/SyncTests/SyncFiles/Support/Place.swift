import ExternalStores
import Foundation
import HealthDataSync
import Synchronization

@testable import TestSupport

/// A sync folder of a test, with the view that a reader of the files has.
final class Place {
  let folder: TemporaryFolder
  var path: String { folder.path("out") }
  let clock = Mutex(Date(timeIntervalSince1970: 1_795_241_400))

  init() throws { folder = try TemporaryFolder() }

  func store(_ query: String = "format=ndjson&age=1d", in path: String? = nil) throws -> FilesStore {
    let clock = ClockReader(self)
    return FilesStore(
      try FilesAddress("file://\(path ?? self.path)?\(query)"),
      identity: ExternalIdentity(person: "Ada", gateway: "cellar"),
      now: { clock.now })
  }

  // @unchecked: the only state that it reads is behind a lock.
  private final class ClockReader: @unchecked Sendable {
    private let place: Place
    init(_ place: Place) { self.place = place }
    var now: Date { place.clock.withLock { $0 } }
  }

  /// Returns the names of the visible files.
  func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.hasPrefix(".") }
      .sorted()
  }

  func hidden(_ format: String = "ndjson") -> URL { URL(filePath: path).appending(path: ".hrgate-\(format)") }

  func text(_ name: String) throws -> String {
    try String(contentsOf: URL(filePath: path).appending(path: name), encoding: .utf8)
  }

  /// Returns the lines of all files with this prefix, in the order of names.
  func lines(_ prefix: String = "samples") throws -> [String] {
    try names().filter { $0.hasPrefix(prefix) }.flatMap { name in
      let text = try text(name)
      guard text.hasSuffix("\n") else { return ["half a line"] }
      return text.split(separator: "\n").map(String.init)
    }
  }

  /// Returns the UUIDs in the NDJSON files in order. A minus sign marks the UUID of a deleted sample.
  func story() throws -> [String] {
    try lines().map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["uuid"] as? String ?? "-" + (object?["deleted"] as? String ?? "?")
    }
  }
}
