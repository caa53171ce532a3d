import Foundation

/// Runs `fhir_server.py` as a child process, which exits when its standard input is closed.
final class FHIRServer {
  static let isAvailable = FileManager.default.isExecutableFile(atPath: python)
  private static let python = "/usr/bin/python3"

  private(set) var port = 0
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var read = Data()

  struct EndedError: Error {}

  init(tls: [String] = []) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [folder.appending(path: "fhir_server.py").path] + (tls.isEmpty ? [] : ["--tls"] + tls)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard let number = Int(try line()) else { throw EndedError() }
    port = number
  }

  deinit {
    try? input.fileHandleForWriting.close()
    // SIGKILL is needed: another child process may have inherited the input and keep it open. SIGTERM is
    // blocked in processes that a dispatch thread starts.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Returns the address for `hrgate sync add`.
  func url(_ query: String = "") -> String { "fhir+http://127.0.0.1:\(port)/fhir\(query)" }

  // MARK: - Commands

  func set(_ settings: [String: Any]) throws { _ = try command(["set": settings]) }
  func befall(_ faults: [[String: Any]?]) throws {
    _ = try command(["faults": faults.map { $0 ?? NSNull() as Any }])
  }
  func forget(_ type: String) throws { _ = try command(["forget": type]) }
  /// Removes all identifiers but the first from each Device, as if another system had created it.
  func disown() throws { _ = try command(["disown": true]) }
  func double() throws { _ = try command(["double": true]) }

  func resources(_ type: String) throws -> [[String: Any]] {
    let all = try command(["state": true])["resources"] as? [[String: Any]] ?? []
    return all.filter { $0["resourceType"] as? String == type }
  }

  /// Returns the UUIDs of all Observations that are not withdrawn, sorted and with duplicates.
  func uuids() throws -> [String] { try uuids { $0 != "entered-in-error" } }

  /// Returns the UUIDs of the withdrawn Observations, sorted.
  func withdrawn() throws -> [String] { try uuids { $0 == "entered-in-error" } }

  private func uuids(_ isMeant: (String?) -> Bool) throws -> [String] {
    try resources("Observation").filter { isMeant($0["status"] as? String) }.compactMap {
      (($0["identifier"] as? [[String: Any]])?.first?["value"] as? String)?.dropFirst("urn:uuid:".count)
    }.map { $0.uppercased() }.sorted()
  }

  /// Returns the Device references of the Observations.
  func references() throws -> [String] {
    try resources("Observation").compactMap { ($0["device"] as? [String: Any])?["reference"] as? String }
  }

  /// Returns all requests that the server has received.
  func requests() throws -> [[String: Any]] {
    try command(["state": true])["requests"] as? [[String: Any]] ?? []
  }

  /// Returns the received POST requests, which are transactions. Opening a store sends none.
  func transactions() throws -> [[String: Any]] {
    try requests().filter { $0["method"] as? String == "POST" }
  }

  func connections() throws -> Int { try command(["state": true])["connections"] as? Int ?? 0 }

  private func command(_ command: [String: Any]) throws -> [String: Any] {
    input.fileHandleForWriting.write(try JSONSerialization.data(withJSONObject: command) + Data("\n".utf8))
    return try JSONSerialization.jsonObject(with: Data(try line().utf8)) as? [String: Any] ?? [:]
  }

  private func line() throws -> String {
    while !read.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw EndedError() }
      read += more
    }
    let line = read.prefix { $0 != UInt8(ascii: "\n") }
    defer { read = Data(read.dropFirst(line.count + 1)) }
    return String(decoding: line, as: UTF8.self)
  }
}
