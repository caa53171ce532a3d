import Foundation
import Testing

@testable import TestSupport

/// Tests a gateway with a real mosquitto through mosquitto's own client, which receives the same as Home
/// Assistant.
@Suite(
  .enabled(if: ScriptedDaemon.isInstalled && BrokerListener.isInstalled), .timeLimit(.minutes(30)))
struct SyncBrokerTests {
  private let folder: TemporaryFolder
  private let path: String
  private let daemon: ScriptedDaemon

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    daemon = try ScriptedDaemon()
  }

  private func gateway() throws -> RunningGateway {
    try RunningGateway(
      ["run", "--json", "--commit-interval", "0.05", "--bus", "none", "--store", path], daemon.environment,
      output: folder.path("run.\(UUID().uuidString).jsonl"))
  }

  @Test func `Home Assistant finds the strap, its values are the store's, and a killed gateway is offline`()
    async throws
  {
    let broker = try await Broker()
    try await ScriptedDaemon.enrolStrap(inStoreAt: path)
    let url = "mqtt://127.0.0.1:\(broker.port)/?discovery=homeassistant"
    let added = try Command.hrgate("sync", "add", "home", url, "--gateway", "attic", "--store", path)
    try #require(added.status == 0, "\(added.errors)")
    let listener = try await BrokerListener(broker)
    let gateway = try gateway()
    #expect(await eventually { gateway.text.contains("following") })
    for rate in UInt8(61)...65 {
      #expect(
        try await eventually {
          try daemon.measure([rate])
          return try listener.heard.contains { $0.json["heartRate"] as? Int == Int(rate) }
        }, "\(rate): \(gateway.text)")
    }

    let kept = try await BrokerListener.kept(by: broker)
    let state = try #require(kept.values.first { $0.topic.hasSuffix("\(ScriptedDaemon.strap)/state") })
    try expectEntities(kept, of: state)
    let status = try #require(
      kept.keys.first { $0.wholeMatch(of: #/hrgate\/attic-[0-9a-f]{12}\/status/#) != nil })
    #expect(kept[status]?.payload == "online")

    try await expectEqualValues(listener)
    gateway.kill()
    #expect(try await eventually { try listener.heard.last { $0.topic == status }?.payload == "offline" })
    #expect(try await BrokerListener.kept(by: broker)[status]?.payload == "offline")
    let next = try self.gateway()
    #expect(try await eventually { try listener.heard.last { $0.topic == status }?.payload == "online" })
    try next.end()
    #expect(try await BrokerListener.kept(by: broker)[status]?.payload == "offline")
  }

  /// Expects that each Home Assistant entity reads a field that the state has, and is available while the
  /// gateway runs.
  private func expectEntities(_ kept: [String: BrokerListener.Heard], of state: BrokerListener.Heard) throws {
    let configurations = kept.values.filter { $0.topic.hasSuffix("/config") }
    #expect(configurations.allSatisfy { $0.qos == 1 && $0.topic.hasPrefix("homeassistant/device/") })
    let components = configurations.flatMap { configuration in
      (configuration.json["components"] as? [String: [String: Any]])?.values.map(\.self) ?? []
    }
    let fields = try components.filter { $0["state_topic"] as? String == state.topic }.map { entity in
      let template = try #require(entity["value_template"] as? String)
      let availability = try #require(entity["availability"] as? [[String: Any]])
      for topic in availability.compactMap({ $0["topic"] as? String }) {
        #expect(kept[topic]?.payload == "online", "\(topic)")
      }
      return String(try #require(template.wholeMatch(of: #/\{\{ value_json\.([A-Za-z]+) \}\}/#)).1)
    }
    #expect(Set(fields) == ["heartRate", "battery", "contact", "rssi", "state"] && fields.count == 5)
    #expect(Set(fields).isSubset(of: state.json.keys))
  }

  /// Expects that the published live values are stored, and that the broker received each stored sample.
  private func expectEqualValues(_ listener: BrokerListener) async throws {
    func key(_ time: Any?, _ value: Any?) -> String { "\(time ?? "?") \(value as? Double ?? -1)" }
    #expect(
      try await eventually {
        let stored = try Samples(store: path).heartRates
        let heard = try listener.heard
        let live = heard.filter { $0.topic.hasSuffix("/state") && $0.json["heartRate"] is NSNumber }
        let published = heard.map(\.json).filter {
          $0["type"] as? String == "HKQuantityTypeIdentifierHeartRate"
        }
        return !live.isEmpty
          && Set(live.map { key($0.json["time"], $0.json["heartRate"]) })
            .isSubset(of: stored.map { key($0["start"], $0["value"]) })
          && Set(published.map { "\($0["uuid"] ?? "") \(key($0["start"], $0["value"]))" })
            == Set(stored.map { "\($0["uuid"] ?? "") \(key($0["start"], $0["value"]))" })
      })
  }
}
