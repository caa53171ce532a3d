import Foundation
import HealthKit
import HealthStorage

extension Exactness {
  /// The properties that are set, as text: `name=value`, separated by spaces. This text is the value of
  /// hrgate's metadata entry.
  var text: String {
    var fields: [(String, String)] = []
    if let uuid { fields.append(("uuid", uuid.uuidString)) }
    if start != 0 { fields.append(("start", String(start))) }
    if end != 0 { fields.append(("end", String(end))) }
    let origin = [
      ("source", bundleIdentifier), ("name", sourceName), ("version", sourceVersion),
      ("product", productType), ("system", operatingSystem), ("device", device.map(Self.text)),
      ("beats", beats.map(Self.text)),
    ]
    fields += origin.compactMap { name, value in value.map { (name, $0) } }
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let (kind, content) = Self.parts(value)
      fields.append((kind, Self.escaped(key, Self.part) + "," + Self.escaped(content, Self.part)))
    }
    return fields.map { name, value in "\(name)=\(Self.escaped(value))" }.joined(separator: " ")
  }

  /// Parses the value of hrgate's metadata entry.
  /// - Returns: `nil` if the text does not have the form of the property `text`.
  init?(_ text: String) {
    self.init()
    for field in text.split(separator: " ") {
      guard let sign = field.firstIndex(of: "="),
        let value = String(field[field.index(after: sign)...]).removingPercentEncoding,
        take(String(field[..<sign]), value)
      else { return nil }
    }
  }

  private mutating func take(_ name: String, _ value: String) -> Bool {
    switch name {
    case "start", "end": return takeFraction(name, value)
    case "uuid": return Self.take(UUID(uuidString: value), &uuid)
    case "source": bundleIdentifier = value
    case "name": sourceName = value
    case "version": sourceVersion = value
    case "product": productType = value
    case "system": operatingSystem = value
    case "device": return Self.take(Self.device(value), &device)
    case "beats": return Self.take(Self.beats(value), &beats)
    default: return takeMetadata(name, value)
    }
    return true
  }

  /// Assigns a parsed value.
  /// - Returns: Whether `found` is not `nil`.
  private static func take<Value>(_ found: Value?, _ place: inout Value?) -> Bool {
    guard let found else { return false }
    place = found
    return true
  }

  private mutating func takeFraction(_ name: String, _ value: String) -> Bool {
    guard let fraction = Int64(value), (0..<1_000_000).contains(fraction) else { return false }
    if name == "start" { start = fraction } else { end = fraction }
    return true
  }

  // MARK: - Devices and beats

  private static func text(_ device: HKDevice) -> String {
    DeviceText.fields(device).map { "\($0):\(escaped($1, part))" }.joined(separator: ",")
  }

  private static func device(_ text: String) -> HKDevice? {
    var fields: [String: String] = [:]
    for field in text.split(separator: ",") {
      guard let colon = field.firstIndex(of: ":"),
        let value = String(field[field.index(after: colon)...]).removingPercentEncoding
      else { return nil }
      fields[String(field[..<colon])] = value
    }
    return DeviceText.device(fields)
  }

  private static func text(_ beats: [Heartbeat]) -> String {
    beats.map { ($0.precededByGap ? "|" : "") + NumberText.text($0.offset) }.joined(separator: ",")
  }

  private static func beats(_ text: String) -> [Heartbeat]? {
    var beats: [Heartbeat] = []
    for beat in text.split(separator: ",") {
      let hasGap = beat.hasPrefix("|")
      guard let offset = NumberText.parse(String(hasGap ? beat.dropFirst() : beat)) else { return nil }
      beats.append(Heartbeat(offset: offset, precededByGap: hasGap))
    }
    return beats
  }

  // MARK: - Metadata

  private mutating func takeMetadata(_ kind: String, _ value: String) -> Bool {
    let parts = value.split(separator: ",", omittingEmptySubsequences: false)
      .compactMap { String($0).removingPercentEncoding }
    guard parts.count == 2, let stated = Self.value(kind, parts[1]) else { return false }
    metadata[parts[0]] = stated
    return true
  }

  private static func parts(_ value: MetadataValue) -> (kind: String, content: String) {
    switch value {
    case .string(let text): ("string", text)
    case .boolean(let flag): ("boolean", flag ? "1" : "0")
    case .integer(let number): ("integer", String(number))
    case .unsigned(let number): ("unsigned", String(number))
    case .double(let number): ("double", "\(number)")
    case .date(let seconds): ("date", "\(seconds)")
    case .quantity(let value, let unit): ("quantity", "\(value) \(unit)")
    }
  }

  private static func value(_ kind: String, _ content: String) -> MetadataValue? {
    switch kind {
    case "string": return .string(content)
    case "boolean": return content == "1" ? .boolean(true) : content == "0" ? .boolean(false) : nil
    case "integer": return Int64(content).map { .integer($0) }
    case "unsigned": return UInt64(content).map { .unsigned($0) }
    case "double": return NumberText.parse(content).map { .double($0) }
    case "date": return NumberText.parse(content).map { .date($0) }
    case "quantity":
      guard let gap = content.firstIndex(of: " "), let value = NumberText.parse(String(content[..<gap]))
      else { return nil }
      return .quantity(value: value, unit: String(content[content.index(after: gap)...]))
    default: return nil
    }
  }

  // MARK: - Escapes

  private static func escaped(_ text: String, _ plain: CharacterSet = plain) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// Characters that need no escape in a value of a comma-separated list.
  private static let part = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:/")
  private static let plain = part.union(CharacterSet(charactersIn: ",|"))
}
