internal import Foundation
internal import HealthDataSync
internal import HealthKit

/// The MQTT discovery messages that make Home Assistant add each monitor as a device
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
struct Discovery: Sendable {
  private let prefix: String
  private let topics: LiveTopics
  private let identity: ExternalIdentity
  private let states: [String]
  private let lifetime: Int
  private let selection: LiveSelection

  /// Creates the discovery messages of a gateway.
  ///
  /// - Parameters:
  ///   - states: All possible connection states of a monitor.
  ///   - lifetime: The age in seconds at which a heart rate is no longer shown.
  ///   - selection: Which live values the destination receives.
  init(
    prefix: String, _ topics: LiveTopics, _ identity: ExternalIdentity, states: [String], lifetime: Int,
    _ selection: LiveSelection
  ) {
    self.prefix = prefix
    self.topics = topics
    self.identity = identity
    self.states = states
    self.lifetime = lifetime
    self.selection = selection
  }

  /// The topic on which Home Assistant announces that it has started. All discovery messages must be sent
  /// again when that happens.
  var birthTopic: String { "\(prefix)/status" }

  /// The gateway's configuration: a device with one entity for its connection.
  var gatewayMessage: Message? {
    var entity = Entity(
      id: "\(gatewayID)_status", name: "Gateway", stateTopic: topics.status, on: .binarySensor)
    entity.deviceClass = "connectivity"
    entity.entityCategory = "diagnostic"
    entity.payloadOn = "online"
    entity.payloadOff = "offline"
    return message(gatewayDevice, gatewayID, [entity])
  }

  /// Returns the configuration of a monitor: a device with all its entities.
  func message(for monitor: LiveMonitor) -> Message? {
    message(
      device(of: monitor), monitorID(monitor.address),
      entities(for: monitor).filter { selection.hasPulse || !$0.isOfPulse })
  }

  /// Returns whether a topic is used for discovery messages.
  func owns(_ topic: String) -> Bool { topic.hasPrefix("\(prefix)/") }

  /// Returns the topic of a monitor's configuration.
  func topic(for monitor: String) -> String { topic(monitorID(monitor)) }

  // MARK: - Topics of earlier versions

  /// The topics on which earlier versions configured the gateway. They used one topic per entity.
  var formerGatewayTopics: [String] { [formerTopic(.binarySensor, "\(gatewayID)_status")] }

  /// Returns the topics on which earlier versions configured a monitor, one per entity.
  func formerTopics(for monitor: String) -> [String] {
    entities(for: LiveMonitor(address: monitor, source: "", state: "", isFollowed: false)).map {
      formerTopic($0.platform, $0.uniqueId)
    }
  }

  /// Returns the message that tells Home Assistant to migrate an entity from a former topic, so that the
  /// user's settings for it are kept.
  static func migration(of topic: String) -> Message {
    Message(topic: topic, payload: Array(#"{"migrate_discovery": true}"#.utf8))
  }

  // MARK: - Entities of a monitor

  private func entities(for monitor: LiveMonitor) -> [Entity] {
    func entity(
      _ id: String, _ name: String, _ field: String, on platform: Platform = .sensor, isLive: Bool
    ) -> Entity {
      var entity = Entity(
        id: "\(monitorID(monitor.address))_\(id)", name: name, stateTopic: topics.state(monitor.address),
        on: platform)
      entity.valueTemplate = "{{ value_json.\(field) }}"
      entity.availability = [.init(topic: topics.status)]
      if isLive {
        entity.availability?.append(.init(topic: topics.availability(monitor.address)))
        entity.expireAfter = lifetime
      }
      return entity
    }

    var pulse = entity("heart_rate", "Heart rate", "heartRate", isLive: true)
    pulse.unitOfMeasurement = "bpm"
    pulse.stateClass = "measurement"
    pulse.icon = "mdi:heart-pulse"
    pulse.isOfPulse = true

    var contact = entity("contact", "Skin contact", "contact", on: .binarySensor, isLive: true)
    // Home Assistant's templates render the JSON values true and false as `True` and `False`. Null is treated
    // as unknown.
    contact.payloadOn = "True"
    contact.payloadOff = "False"
    contact.icon = "mdi:hand-heart"
    contact.isOfPulse = true

    var battery = entity("battery", "Battery", "battery", isLive: false)
    battery.deviceClass = "battery"
    battery.stateClass = "measurement"
    battery.unitOfMeasurement = "%"
    battery.entityCategory = "diagnostic"

    // This value does not expire: the signal strength is measured before the connection, not during it.
    var rssi = entity("rssi", "Signal strength", "rssi", isLive: false)
    rssi.deviceClass = "signal_strength"
    rssi.stateClass = "measurement"
    rssi.unitOfMeasurement = "dBm"
    rssi.entityCategory = "diagnostic"
    rssi.jsonAttributesTopic = topics.state(monitor.address)
    rssi.jsonAttributesTemplate = "{{ {'heard': value_json.rssiTime} | tojson }}"

    var state = entity("state", "State", "state", isLive: false)
    state.deviceClass = "enum"
    state.options = states.isEmpty ? nil : states
    state.entityCategory = "diagnostic"
    state.jsonAttributesTopic = topics.state(monitor.address)
    state.jsonAttributesTemplate =
      "{{ {'detail': value_json.detail, 'advice': value_json.advice} | tojson }}"

    return [pulse, contact, battery, rssi, state]
  }

  private var gatewayID: String { "hrgate_\(ObjectID.escaped(identity.gatewayKey))" }

  /// Returns the ID of a monitor: its address without colons, which are not allowed in IDs.
  private func monitorID(_ address: String) -> String {
    "\(gatewayID)_\(ObjectID.escaped(address.replacing(":", with: "").lowercased()))"
  }

  private var gatewayDevice: Device {
    Device(
      identifiers: [gatewayID], name: "hrgate \(identity.gateway)", manufacturer: "hrgate",
      model: "Heart-rate gateway"
    )
  }

  private func device(of monitor: LiveMonitor) -> Device {
    Device(
      identifiers: [monitorID(monitor.address)], connections: [["bluetooth", monitor.address]],
      name: monitor.name ?? monitor.address,
      manufacturer: monitor.device?.manufacturer, model: monitor.device?.model,
      serialNumber: monitor.serialNumber, hwVersion: monitor.device?.hardwareVersion,
      swVersion: monitor.device?.firmwareVersion ?? monitor.device?.softwareVersion, viaDevice: gatewayID)
  }

  // MARK: - Messages

  private func topic(_ device: String) -> String { "\(prefix)/device/\(device)/config" }

  private func formerTopic(_ platform: Platform, _ id: String) -> String {
    "\(prefix)/\(platform.rawValue)/\(id)/config"
  }

  /// Returns one message for a device and all its entities.
  private func message(_ device: Device, _ id: String, _ entities: [Entity]) -> Message? {
    let configuration = Configuration(
      device: device, components: Dictionary(uniqueKeysWithValues: entities.map { ($0.uniqueId, $0) }))
    guard let payload = try? Self.encoder.encode(configuration) else { return nil }
    return Message(topic: topic(id), payload: Array(payload), isRetained: true)
  }

  /// Encodes keys in snake case, as Home Assistant expects.
  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  private struct Configuration: Encodable {
    var device: Device
    let origin = Origin()
    /// The entities by unique ID.
    var components: [String: Entity]
    let qos = 1
  }

  private struct Device: Encodable {
    var identifiers: [String]
    /// Pairs such as `["bluetooth", ADDRESS]`, by which Home Assistant merges the device with that of another
    /// integration.
    var connections: [[String]]?
    var name: String
    var manufacturer: String?
    var model: String?
    var serialNumber: String?
    var hwVersion: String?
    var swVersion: String?
    var viaDevice: String?
  }

  private struct Availability: Encodable {
    /// The topic with the payload `online` or `offline`. Home Assistant uses these payloads by default.
    var topic: String
  }

  private struct Origin: Encodable {
    let name = "hrgate"
  }

  private enum Platform: String, Encodable {
    case sensor
    case binarySensor = "binary_sensor"
  }

  /// The options of a sensor or binary sensor in Home Assistant. Absent options have their defaults.
  private struct Entity: Encodable {
    var platform: Platform
    var uniqueId: String
    var name: String
    var stateTopic: String
    var valueTemplate: String?
    var availability: [Availability]?
    let availabilityMode = "all"
    var deviceClass: String?
    var stateClass: String?
    var unitOfMeasurement: String?
    var entityCategory: String?
    var expireAfter: Int?
    var icon: String?
    var options: [String]?
    var payloadOn: String?
    var payloadOff: String?
    var jsonAttributesTopic: String?
    var jsonAttributesTemplate: String?
    /// Whether to omit the entity if the destination receives no heart rates.
    var isOfPulse = false

    init(id: String, name: String, stateTopic: String, on platform: Platform) {
      self.platform = platform
      uniqueId = id
      self.name = name
      self.stateTopic = stateTopic
    }

    private enum CodingKeys: CodingKey {
      case platform, uniqueId, name, stateTopic, valueTemplate, availability, availabilityMode, deviceClass
      case stateClass, unitOfMeasurement, entityCategory, expireAfter, icon, options, payloadOn, payloadOff
      case jsonAttributesTopic, jsonAttributesTemplate
    }
  }
}
