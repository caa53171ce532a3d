internal import Foundation
public import HealthDataSync

/// The address of a broker and the settings for publishing, as given to `hrgate sync add`:
/// `mqtt://[USER@]HOST[:PORT]/[BASE-TOPIC][?discovery=homeassistant][&ca=FILE][&unencrypted=yes]`, or
/// `mqtts://…`.
public struct MQTTAddress: Hashable, Sendable {
  /// The host name or IP address. An IPv6 address has no brackets here.
  public let host: String
  public let port: Int
  public let user: String?
  /// Whether the connection uses TLS and verifies the broker's certificate.
  public let usesTLS: Bool
  /// A PEM file of trusted certificate authorities, or `nil` for those of the system.
  public let certificateAuthority: String?
  /// The prefix of all topics except those of discovery.
  public let base: String
  /// The prefix of the topics for Home Assistant's discovery, or `nil` without discovery.
  public let discoveryPrefix: String?

  /// Parses an address.
  ///
  /// - Throws: `ExternalStoreError` that describes the mistake without quoting the text, because it may
  ///   contain a password.
  public init(_ text: String) throws(ExternalStoreError) {
    guard let parts = URLComponents(string: text, encodingInvalidCharacters: false),
      let scheme = parts.scheme?.lowercased(), ["mqtt", "mqtts"].contains(scheme)
    else {
      throw .address(
        "an MQTT address is mqtt://[USER@]HOST[:PORT]/[BASE-TOPIC] or mqtts://…; %XX is for what a URL lacks"
      )
    }
    guard parts.password == nil else {
      throw .address(
        "a password does not belong in an address, which others can read: leave it out and name a file with it"
      )
    }
    guard let host = parts.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty, !host.contains("\0")
    else { throw .address("the MQTT address names no host: mqtt://HOST/") }
    guard parts.fragment == nil else {
      throw .address("the MQTT address has a # in it: no topic that is published to can hold one")
    }
    usesTLS = scheme == "mqtts"
    self.host = host
    port = parts.port ?? (usesTLS ? 8883 : 1883)
    guard (1...65_535).contains(port) else {
      throw .address("the port of the MQTT address is from 1 to 65535")
    }
    user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
    guard user?.contains("\0") != true else { throw .address("the user of the MQTT address holds a NUL") }
    base = try Self.topic(parts.path, option: "base topic") ?? "hrgate"

    var options = try Options(parts.queryItems ?? [])
    certificateAuthority = options.take("ca")
    discoveryPrefix = try Self.topic(options.take("discovery") ?? "", option: "discovery prefix")
    let isOpen = try options.takeFlag("unencrypted")
    guard usesTLS || isOpen || LoopbackHost.isOne(host) else {
      throw .address(
        "mqtt:// lets others read data and password on the way: say mqtts://, or unencrypted=yes if that is meant"
      )
    }
    guard certificateAuthority == nil || usesTLS else {
      throw .address("the option ca= is for mqtts:// only")
    }
  }

  /// The host and port for messages.
  var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Checks a topic that the user wrote.
  ///
  /// - Returns: `nil` for an empty topic.
  private static func topic(_ text: String, option: String) throws(ExternalStoreError) -> String? {
    let topic = text.trimmingCharacters(in: ["/"])
    guard !topic.isEmpty else { return nil }
    guard !topic.hasPrefix("$") else {
      throw .address("the \(option) begins with $, which brokers keep for themselves")
    }
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard topic.utf8.count <= 256, levels.allSatisfy({ !$0.isEmpty && TopicLevel.isPlain($0) }) else {
      throw .address("the \(option) is at most 256 bytes of text, in levels between /, without + and #")
    }
    return topic
  }
}

/// The query parameters of an address.
private struct Options {
  private var values: [String: String] = [:]
  private static let known = ["ca", "discovery", "unencrypted"]

  init(_ items: [URLQueryItem]) throws(ExternalStoreError) {
    for item in items {
      guard Self.known.contains(item.name) else {
        throw .address(
          "the MQTT address has an option that is not known; there are \(Self.known.joined(separator: ", "))")
      }
      guard let value = item.value, !value.isEmpty, !value.contains("\0") else {
        throw .address("the option \(item.name) of the MQTT address needs a value")
      }
      guard values.updateValue(value, forKey: item.name) == nil else {
        throw .address("the option \(item.name) stands twice in the MQTT address")
      }
    }
  }

  mutating func take(_ name: String) -> String? { values.removeValue(forKey: name) }

  mutating func takeFlag(_ name: String) throws(ExternalStoreError) -> Bool {
    switch take(name) {
    case "yes": return true
    case nil, "no": return false
    default: throw .address("the option \(name) of the MQTT address is yes or no")
    }
  }
}
