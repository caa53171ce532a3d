internal import Foundation
internal import HealthDataSync

/// What Home Assistant is told so that each monitor is a device there
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
struct Discovery: Sendable {
  private let prefix: String
  private let topics: LiveTopics
  private let identity: ExternalIdentity
  private let states: [String]
  private let lifetime: Int
  private let selection: LiveSelection

  /// - Parameters:
  ///   - states: All that a monitor's state can be.
  ///   - lifetime: After how many seconds a pulse is none any more.
  ///   - selection: What may be told of a monitor.
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

  /// Where Home Assistant says that it has started: it wants to be told all anew then.
  var birthTopic: String { "\(prefix)/status" }

  /// The gateway, as a device with one entity: whether it is there.
  var gatewayMessage: Message? {
    var entity = Entity(id: "\(gatewayID)_status", name: "Gateway", stateTopic: topics.status, gatewayDevice)
    entity.deviceClass = "connectivity"
    entity.entityCategory = "diagnostic"
    entity.payloadOn = "online"
    entity.payloadOff = "offline"
    return message("binary_sensor", entity)
  }

  func messages(for monitor: LiveMonitor) -> [Message] {
    entities(for: monitor).filter { selection.hasPulse || !$0.isOfPulse }.compactMap {
      message($0.component, $0.entity)
    }
  }

  /// The topics of all that was ever told of a monitor.
  func topics(for monitor: String) -> [String] {
    entities(for: LiveMonitor(address: monitor, source: "", state: "", isFollowed: false)).map {
      topic($0.component, $0.entity)
    }
  }

  // MARK: - The entities of a monitor

  private func entities(for monitor: LiveMonitor) -> [(component: String, entity: Entity, isOfPulse: Bool)] {
    let device = device(of: monitor)
    func entity(_ id: String, _ name: String, _ field: String, isLive: Bool) -> Entity {
      var entity = Entity(
        id: "\(monitorID(monitor.address))_\(id)", name: name, stateTopic: topics.state(monitor.address),
        device)
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

    var contact = entity("contact", "Skin contact", "contact", isLive: true)
    // As Home Assistant's templates write JSON's true and false; null is unknown.
    contact.payloadOn = "True"
    contact.payloadOff = "False"
    contact.icon = "mdi:hand-heart"

    var battery = entity("battery", "Battery", "battery", isLive: false)
    battery.deviceClass = "battery"
    battery.stateClass = "measurement"
    battery.unitOfMeasurement = "%"
    battery.entityCategory = "diagnostic"

    // Not live: it is heard before it is linked, and not while it is.
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

    return [
      ("sensor", pulse, true), ("binary_sensor", contact, true), ("sensor", battery, false),
      ("sensor", rssi, false), ("sensor", state, false),
    ]
  }

  private var gatewayID: String { "hrgate_\(ObjectID.escaped(identity.gatewayKey))" }

  /// The colons of an address say nothing, and are not allowed.
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
      identifiers: [monitorID(monitor.address)], name: monitor.name ?? monitor.address,
      manufacturer: monitor.manufacturer, model: monitor.model, serialNumber: monitor.serialNumber,
      hwVersion: monitor.hardwareRevision, swVersion: monitor.firmwareRevision ?? monitor.softwareRevision,
      viaDevice: gatewayID)
  }

  // MARK: - As messages

  private func topic(_ component: String, _ entity: Entity) -> String {
    "\(prefix)/\(component)/\(entity.uniqueId)/config"
  }

  private func message(_ component: String, _ entity: Entity) -> Message? {
    guard let payload = try? Self.encoder.encode(entity) else { return nil }
    return Message(topic: topic(component, entity), payload: Array(payload), isRetained: true)
  }

  /// Home Assistant's names have underscores.
  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  private struct Device: Encodable {
    var identifiers: [String]
    var name: String
    var manufacturer: String?
    var model: String?
    var serialNumber: String?
    var hwVersion: String?
    var swVersion: String?
    var viaDevice: String?
  }

  private struct Availability: Encodable {
    /// Its payloads are `online` and `offline`, which are Home Assistant's own.
    var topic: String
  }

  private struct Origin: Encodable {
    let name = "hrgate"
  }

  /// The options of a sensor or a binary sensor; what is absent has Home Assistant's default.
  private struct Entity: Encodable {
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
    let qos = 1
    var device: Device
    let origin = Origin()

    init(id: String, name: String, stateTopic: String, _ device: Device) {
      uniqueId = id
      self.name = name
      self.stateTopic = stateTopic
      self.device = device
    }
  }
}
