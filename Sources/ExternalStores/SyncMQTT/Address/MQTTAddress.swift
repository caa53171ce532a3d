internal import Foundation
public import HealthDataSync

/// The address of a broker and the settings for publishing, as given to `hrgate sync add`:
/// `mqtt://[USER@]HOST[:PORT]/[BASE-TOPIC][?discovery=homeassistant][&ca=FILE][&unencrypted=yes]`, or
/// `mqtts://…`.
public struct MQTTAddress: Hashable, Sendable {
  /// The host name or IP address. An IPv6 address has no brackets here.
  public let host: String
  /// The TCP port: by default 1883, and 8883 with TLS.
  public let port: Int
  /// The user name, or `nil` for an anonymous connection.
  public let user: String?
  /// Whether the connection uses TLS and verifies the broker's certificate.
  public let usesTLS: Bool
  /// A PEM file of trusted certificate authorities, or `nil` for those of the system.
  public let certificateAuthority: String?
  /// The first levels of all topics except those of discovery.
  public let base: String
  /// The first level of the topics for Home Assistant's discovery, or `nil` without discovery.
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
        "an MQTT address is mqtt://[USER@]HOST[:PORT]/[BASE-TOPIC] or mqtts://…, with special characters as %XX"
      )
    }
    guard parts.password == nil else {
      throw .address(
        "an address must not contain a password, because others can read it: put the password into a file"
      )
    }
    guard let host = parts.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty, !host.contains("\0")
    else { throw .address("the MQTT address has no host: mqtt://HOST/") }
    guard parts.fragment == nil else {
      throw .address("the MQTT address contains a #, which a topic for publishing must not contain")
    }
    usesTLS = scheme == "mqtts"
    self.host = host
    port = parts.port ?? (usesTLS ? 8883 : 1883)
    guard (1...65_535).contains(port) else {
      throw .address("the port of the MQTT address must be from 1 to 65535")
    }
    user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
    guard user?.contains("\0") != true else { throw .address("the user of the MQTT address contains a NUL") }
    base = try Self.topic(parts.path, option: "base topic") ?? "hrgate"

    var options = try Options(parts.queryItems ?? [])
    certificateAuthority = options.take("ca")
    discoveryPrefix = try Self.topic(options.take("discovery") ?? "", option: "discovery prefix")
    let isOpen = try options.takeFlag("unencrypted")
    guard usesTLS || isOpen || LoopbackHost.isOne(host) else {
      throw .address(
        "mqtt:// sends data and password unencrypted: use mqtts://, or unencrypted=yes to allow it"
      )
    }
    guard certificateAuthority == nil || usesTLS else {
      throw .address("the option ca= is for mqtts:// only")
    }
  }

  /// The host and port as text for messages.
  var hostAndPort: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Checks a topic that the user wrote.
  ///
  /// - Returns: `nil` for an empty topic.
  private static func topic(_ text: String, option: String) throws(ExternalStoreError) -> String? {
    let topic = text.trimmingCharacters(in: ["/"])
    guard !topic.isEmpty else { return nil }
    guard !topic.hasPrefix("$") else {
      throw .address("the \(option) begins with $, which is reserved for brokers")
    }
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard topic.utf8.count <= 256, levels.allSatisfy({ !$0.isEmpty && TopicLevel.isPlain($0) }) else {
      throw .address(
        "the \(option) must be at most 256 bytes of text, with levels separated by /, and without + and #")
    }
    return topic
  }
}

/// The query parameters of an address, such as `discovery` and `ca`.
private struct Options {
  private var values: [String: String] = [:]
  private static let known = ["ca", "discovery", "unencrypted"]

  init(_ items: [URLQueryItem]) throws(ExternalStoreError) {
    for item in items {
      guard Self.known.contains(item.name) else {
        throw .address(
          "the MQTT address has an unknown option; the options are \(Self.known.joined(separator: ", "))")
      }
      guard let value = item.value, !value.isEmpty, !value.contains("\0") else {
        throw .address("the option \(item.name) of the MQTT address needs a value")
      }
      guard values.updateValue(value, forKey: item.name) == nil else {
        throw .address("the option \(item.name) occurs twice in the MQTT address")
      }
    }
  }

  mutating func take(_ name: String) -> String? { values.removeValue(forKey: name) }

  mutating func takeFlag(_ name: String) throws(ExternalStoreError) -> Bool {
    switch take(name) {
    case "yes": return true
    case nil, "no": return false
    default: throw .address("the option \(name) of the MQTT address must be yes or no")
    }
  }
}
