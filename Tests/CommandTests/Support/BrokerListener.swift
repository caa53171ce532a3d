import Foundation
import Glibc
import Testing

@testable import TestSupport

/// A subscriber to all topics of a broker: mosquitto's own client, independent of hrgate.
final class BrokerListener {
  struct Heard: Decodable {
    var topic: String
    var qos: Int
    /// 1 if the broker had retained the message before the subscription.
    var retain: Int
    var payload: String?

    /// The payload as JSON; empty if it is not JSON.
    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data((payload ?? "").utf8))) as? [String: Any] ?? [:]
    }
  }

  static var isInstalled: Bool {
    let clients = ["mosquitto_sub", "mosquitto_pub"]
    let isThere = Broker.isInstalled && clients.allSatisfy { Command.path(of: $0) != nil }
    if !isThere { print("skipped: mosquitto_sub is not installed (scripts/install --for-tests)") }
    return isThere
  }

  private let process = Process()
  private let folder: TemporaryFolder

  /// Returns when the subscription is active.
  init(_ broker: Broker) async throws {
    folder = try TemporaryFolder()
    let place = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "5"]
    process.executableURL = Command.path(of: "mosquitto_sub")
    process.arguments = place + ["-q", "1", "-t", "#", "-F", "%j"]
    process.standardOutput = FileHandle(forWritingAtPath: try folder.file("heard", []))
    try process.run()
    let isListening = try await eventually {
      _ = try Command.tool("mosquitto_pub", place + ["-t", "is/anybody/there", "-m", "?"])
      return try heard.contains { $0.topic == "is/anybody/there" }
    }
    try #require(isListening)
  }

  /// Ends the client with SIGKILL, because it ignores SIGTERM while it is reconnecting to its broker.
  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// All messages so far except this object's own probes. An incomplete last line is skipped.
  var heard: [Heard] {
    get throws {
      try String(contentsOfFile: folder.path("heard"), encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { try JSONDecoder().decode(Heard.self, from: Data($0.utf8)) }
    }
  }

  /// Returns the retained messages by topic.
  static func kept(by broker: Broker) async throws -> [String: Heard] {
    let heard = try await BrokerListener(broker).heard.filter { $0.retain == 1 }
    return Dictionary(heard.map { ($0.topic, $0) }, uniquingKeysWith: { $1 })
  }
}
