import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores

let address = "A0:9E:1A:00:00:01"
let states = ["searching", "following", "silent"]

func monitor(
  _ heartRate: Int? = 72, contact: Bool? = true, received: ContinuousClock.Instant = .now,
  followed: Bool = true,
  address: String = address
) -> LiveMonitor {
  var monitor = LiveMonitor(
    address: address, source: source(address), name: "Polar H10", state: followed ? "following" : "searching",
    isFollowed: followed)
  monitor.device = HKDevice(
    name: nil, manufacturer: "Polar Electro Oy", model: "H10", hardwareVersion: nil, firmwareVersion: "5.0.0",
    softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
  monitor.battery = 85
  monitor.measurement = heartRate.map {
    .init(time: moment, received: received, heartRate: $0, hasContact: contact, intervals: [0.8125, 0.83])
  }
  return monitor
}

/// Tests the messages for a state, without a broker.
@Suite struct LiveStateTests {
  private let start = ContinuousClock.now

  private func state(
    _ rest: String = "", _ destination: SyncDestination = somewhere()
  ) throws -> LiveState {
    LiveState(
      try MQTTAddress("mqtt://localhost/\(rest)"), destination, states: states, lifetime: .seconds(10))
  }

  private func kept(
    _ monitors: [LiveMonitor], after seconds: Double = 0, at rest: String = "",
    _ destination: SyncDestination = somewhere()
  ) throws -> [String: Message] {
    let messages = try state(rest, destination).messages(
      monitors, at: start + .seconds(seconds), moment + seconds)
    return Dictionary(uniqueKeysWithValues: messages.map { ($0.topic, $0) })
  }

  private func json(_ message: Message?) -> [String: Any] {
    ReceivedMessage(topic: "", payload: message?.payload ?? [], isRetained: true).json
  }

  @Test func `a monitor's state has all fields, with null for unknown values`() throws {
    let kept = try kept([monitor(received: start)])
    let message = try #require(kept["hrgate/attic/\(address)/state"])
    #expect(message.isRetained)
    #expect(message.expiry == 10)
    let json = json(message)
    #expect(json["monitor"] as? String == address)
    #expect(json["name"] as? String == "Polar H10")
    #expect(json["gateway"] as? String == "attic")
    #expect(json["state"] as? String == "following")
    #expect(json["heartRate"] as? Int == 72)
    #expect(json["contact"] as? Bool == true)
    #expect(json["intervals"] as? [Double] == [0.8125, 0.83])
    #expect(json["time"] as? String == "2025-11-13T02:13:20.123456Z")
    #expect(json["battery"] as? Int == 85)
    #expect(json["rssi"] is NSNull && json["rssiTime"] is NSNull)
    #expect(json["advice"] is NSNull)
    #expect(kept["hrgate/attic/\(address)/availability"]?.payload == Array("online".utf8))
    #expect(kept["hrgate/attic/status"]?.payload == Array("online".utf8))
    #expect(kept.count == 3)
  }

  @Test func `the signal strength has its time, also for a monitor without a link`()
    throws
  {
    var monitor = monitor(nil, followed: false)
    monitor.signal = .init(rssi: -61, time: moment)
    let json = json(try kept([monitor])["hrgate/attic/\(address)/state"])
    #expect(json["rssi"] as? Int == -61)
    #expect(json["rssiTime"] as? String == "2025-11-13T02:13:20.123456Z")
  }

  @Test(arguments: [0, 9.999] as [Double])
  func `a heart rate of the last ten seconds is live`(_ age: Double) throws {
    let kept = try kept([monitor(received: start)], after: age)
    #expect(json(kept["hrgate/attic/\(address)/state"])["heartRate"] as? Int == 72)
  }

  @Test(arguments: [10, 10.001, 3600] as [Double])
  func `an older heart rate is not live, and the other fields are retained`(_ age: Double) throws {
    let message = try #require(
      try kept([monitor(received: start)], after: age)["hrgate/attic/\(address)/state"])
    #expect(message.expiry == nil)
    let json = json(message)
    for field in ["heartRate", "contact", "time"] { #expect(json[field] is NSNull) }
    #expect(json["intervals"] as? [Double] == [])
    #expect(json["battery"] as? Int == 85)
  }

  @Test func `a monitor that is not followed, without contact or reading has no heart rate`() throws {
    for monitor in [
      monitor(received: start, followed: false), monitor(contact: false, received: start),
      monitor(0, received: start), monitor(nil),
    ] {
      let json = json(try kept([monitor])["hrgate/attic/\(address)/state"])
      #expect(json["heartRate"] is NSNull)
      #expect(json["intervals"] as? [Double] == [])
    }
    let without = json(try kept([monitor(contact: false, received: start)])["hrgate/attic/\(address)/state"])
    #expect(without["contact"] as? Bool == false)
    let away = try kept([monitor(followed: false)])
    #expect(away["hrgate/attic/\(address)/availability"]?.payload == Array("offline".utf8))
  }

  @Test func `the next change is when the first live heart rate expires`() throws {
    let other = monitor(received: start - .seconds(4), address: "A0:9E:1A:00:00:02")
    let state = try state()
    #expect(state.nextChange([monitor(received: start), other], after: start, moment) == start + .seconds(6))
    #expect(state.nextChange([other], after: start + .seconds(6), moment + 6) == nil)
    #expect(state.nextChange([monitor(followed: false), monitor(nil)], after: start, moment) == nil)
  }

  @Test func `the last messages have no live values`() throws {
    let words = try state().lastWords([monitor(received: start)], at: moment)
    #expect(
      words.map(\.topic) == [
        "hrgate/attic/\(address)/state", "hrgate/attic/\(address)/availability", "hrgate/attic/status",
      ])
    #expect(json(words[0])["heartRate"] is NSNull)
    #expect(words[1...].allSatisfy { $0.payload == Array("offline".utf8) && $0.isRetained })
    #expect(try state().will == words[2])
  }

  // MARK: - Selected data

  @Test func `nothing is published about a monitor whose source is not selected`() throws {
    let other = "A0:9E:1A:00:00:02"
    let monitors = [monitor(received: start), monitor(80, received: start, address: other)]
    let chosen = somewhere(sources: [source(other)])
    let kept = try kept(monitors, at: "?discovery=homeassistant", chosen)
    #expect(json(kept["hrgate/attic/\(other)/state"])["heartRate"] as? Int == 80)
    let id = address.replacing(":", with: "").lowercased()
    for (topic, message) in kept {
      #expect(!topic.contains(address) && !topic.contains(id))
      let text = String(decoding: message.payload, as: UTF8.self)
      #expect(!text.contains(address) && !text.contains(id))
    }
    let words = try state("", chosen).lastWords(monitors, at: moment)
    #expect(words.allSatisfy { !$0.topic.contains(address) })
    #expect(try state("", chosen).nextChange([monitors[0]], after: start, moment) == nil)
  }

  @Test func `without heart rates in the selection, heart rate and contact are not published`()
    throws
  {
    let kept = try kept(
      [monitor(received: start)], at: "?discovery=homeassistant",
      somewhere(types: [HKSeriesType.heartbeat()]))
    let json = json(kept["hrgate/attic/\(address)/state"])
    for field in ["heartRate", "contact"] { #expect(json[field] is NSNull) }
    #expect(json["intervals"] as? [Double] == [0.8125, 0.83])
    let components = components(kept["homeassistant/device/hrgate_attic_a09e1a000001/config"])
    #expect(!components.keys.contains { $0.hasSuffix("_heart_rate") || $0.hasSuffix("_contact") })
    #expect(components.keys.contains { $0.hasSuffix("_battery") })
  }

  @Test func `without heartbeat series in the selection, intervals are not published`() throws {
    let json = json(
      try kept([monitor(received: start)], somewhere(types: [pulse]))["hrgate/attic/\(address)/state"])
    #expect(json["heartRate"] as? Int == 72)
    #expect(json["contact"] as? Bool == true)
    #expect(json["intervals"] as? [Double] == [])
  }

  @Test func `without live types in the selection, only the gateway is published`() throws {
    let kept = try kept(
      [monitor(received: start)], at: "?discovery=homeassistant",
      somewhere(types: [HKQuantityType(.stepCount)]))
    #expect(
      Set(kept.keys) == ["hrgate/attic/status", "homeassistant/device/hrgate_attic/config"])
  }

  @Test
  func `nothing is published before the start of the selection or about earlier measurements`()
    throws
  {
    let later = somewhere(from: moment + 5)
    let monitor = monitor(received: start)
    #expect(Set(try kept([monitor], after: 4.9, later).keys) == ["hrgate/attic/status"])
    #expect(try state("", later).nextChange([monitor], after: start, moment) == start + .seconds(5))
    #expect(try state("", later).lastWords([monitor], at: moment).count == 1)
    let after = try kept([monitor], after: 5, later)
    for field in ["heartRate", "contact", "time"] {
      #expect(json(after["hrgate/attic/\(address)/state"])[field] is NSNull)
    }
    #expect(after["hrgate/attic/\(address)/availability"]?.payload == LiveTopics.online)
    let earlier = try kept([monitor], somewhere(from: moment))
    #expect(json(earlier["hrgate/attic/\(address)/state"])["heartRate"] as? Int == 72)
  }

  // MARK: - Discovery

  private func discovered(_ monitor: LiveMonitor) throws -> [String: Message] {
    try kept([monitor], at: "?discovery=homeassistant").filter { $0.key.hasPrefix("homeassistant/") }
  }

  private func components(_ message: Message?) -> [String: [String: Any]] {
    json(message)["components"] as? [String: [String: Any]] ?? [:]
  }

  @Test func `each monitor is a device with five entities in one message, below that of the gateway`() throws
  {
    let configurations = try discovered(monitor(received: start))
    let id = "hrgate_attic_a09e1a000001"
    #expect(
      Set(configurations.keys) == [
        "homeassistant/device/hrgate_attic/config", "homeassistant/device/\(id)/config",
      ])
    let configuration = configurations["homeassistant/device/\(id)/config"]
    let device = try #require(json(configuration)["device"] as? [String: Any])
    #expect(device["identifiers"] as? [String] == [id])
    // Home Assistant recognizes the same device in another integration by its connections.
    #expect(device["connections"] as? [[String]] == [["bluetooth", address]])
    #expect(device["name"] as? String == "Polar H10")
    #expect(device["manufacturer"] as? String == "Polar Electro Oy")
    #expect(device["model"] as? String == "H10")
    #expect(device["sw_version"] as? String == "5.0.0")
    #expect(device["via_device"] as? String == "hrgate_attic")
    let components = components(configuration)
    #expect(
      components.mapValues { $0["platform"] as? String } == [
        "\(id)_heart_rate": "sensor", "\(id)_contact": "binary_sensor", "\(id)_battery": "sensor",
        "\(id)_rssi": "sensor", "\(id)_state": "sensor",
      ])
    let pulse = try #require(components["\(id)_heart_rate"])
    #expect(pulse["unit_of_measurement"] as? String == "bpm")
    #expect(pulse["state_class"] as? String == "measurement")
    #expect(pulse["expire_after"] as? Int == 10)
    #expect(pulse["value_template"] as? String == "{{ value_json.heartRate }}")
    #expect(pulse["availability_mode"] as? String == "all")
    #expect(
      (pulse["availability"] as? [[String: String]])?.compactMap { $0["topic"] } == [
        "hrgate/attic/status", "hrgate/attic/\(address)/availability",
      ])
    let battery = try #require(components["\(id)_battery"])
    #expect(battery["device_class"] as? String == "battery")
    #expect(battery["unit_of_measurement"] as? String == "%")
    #expect(battery["expire_after"] == nil)
    let rssi = try #require(components["\(id)_rssi"])
    #expect(rssi["device_class"] as? String == "signal_strength")
    #expect(rssi["unit_of_measurement"] as? String == "dBm")
    #expect(rssi["expire_after"] == nil)
    #expect((rssi["availability"] as? [[String: String]])?.count == 1)
    let state = try #require(components["\(id)_state"])
    #expect(state["device_class"] as? String == "enum")
    #expect(state["options"] as? [String] == states)
    #expect(state["state_class"] == nil)
    let contact = try #require(components["\(id)_contact"])
    #expect(contact["payload_on"] as? String == "True")
    #expect(contact["payload_off"] as? String == "False")
  }

  @Test func `each configuration has the required fields and a unique ID`() throws {
    let kept = try kept([monitor(received: start)], at: "?discovery=homeassistant")
    let configurations = kept.filter { $0.key.hasPrefix("homeassistant/") }
    var ids: [String] = []
    for (topic, message) in configurations {
      #expect(message.isRetained)
      #expect(topic.wholeMatch(of: #/homeassistant/device/[a-zA-Z0-9_-]+/config/#) != nil)
      let json = json(message)
      #expect((json["device"] as? [String: Any])?["identifiers"] as? [String] != nil)
      #expect((json["origin"] as? [String: String])?["name"] == "hrgate")
      #expect(json["qos"] as? Int == 1)
      for (id, component) in components(message) {
        #expect(component["unique_id"] as? String == id)
        ids.append(id)
        #expect(["sensor", "binary_sensor"].contains(component["platform"] as? String))
        #expect((component["name"] as? String)?.isEmpty == false)
        // The component's state topic is published, with the field that the template uses.
        let stateTopic = try #require(component["state_topic"] as? String)
        let source = try #require(kept[stateTopic])
        let template = component["value_template"] as? String
        if let field = template?.firstMatch(of: #/value_json\.(\w+) }}/#)?.output.1 {
          #expect(self.json(source)[String(field)] != nil)
        }
      }
    }
    #expect(Set(ids).count == ids.count && ids.count == 6)
  }

  @Test func `a hostile name is escaped`() throws {
    let name = "a/b\"+#\u{0}{{ states }}\n"
    var monitor = monitor(received: start)
    monitor.name = name
    let kept = try kept([monitor], at: "?discovery=homeassistant")
    let configuration = json(kept["homeassistant/device/hrgate_attic_a09e1a000001/config"])
    #expect((configuration["device"] as? [String: Any])?["name"] as? String == name)
    #expect(json(kept["hrgate/attic/\(address)/state"])["name"] as? String == name)
    let hostile = LiveState(
      try MQTTAddress("mqtt://localhost/?discovery=homeassistant"),
      somewhere(identity: ExternalIdentity(person: "p", gateway: "a/+#\u{0}b")), states: states,
      lifetime: .seconds(10))
    for message in hostile.messages([monitor], at: start, moment) {
      #expect(!message.topic.contains { "+#\u{0}".contains($0) })
      #expect(message.topic.split(separator: "/").count <= 4)
    }
  }

  @Test(arguments: ["attic", "küche", "Dachböden", "寝室", "🫀🏠", "e\u{301}", "a/ü+#"])
  func `a monitor is found by its topic with any gateway name`(name: String) throws {
    for base in ["", "häuser/ü"] {
      let identity = ExternalIdentity(person: "ada", gateway: name, gatewayID: "0a1b2c3d4e5f6071")
      let path = base.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
      let topics = LiveTopics(try MQTTAddress("mqtt://localhost/\(path)"), identity)
      #expect(topics.monitor(ofAvailability: topics.availability(address)) == address)
      for other in [topics.state(address), topics.status, "x/availability", topics.availability("")] {
        #expect(topics.monitor(ofAvailability: other) != address)
      }
      #expect(topics.monitor(ofAvailability: topics.allAvailabilities.replacing("+", with: "a/b")) == nil)
    }
  }
}
