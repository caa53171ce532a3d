import Foundation

/// A validator for the subset of JSON Schema that hrgate's schemas use. In addition, a field that the schema
/// does not describe is an error.
struct JSONSchema {
  private let root: [String: Any]

  init(contentsOf file: URL) throws {
    root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
  }

  /// - Returns: The errors of the value; empty if it is valid.
  func faults(in value: Any) -> [String] { faults(value, root, at: "$") }

  /// The values of `event` that the schema describes.
  var events: [String] {
    (root["oneOf"] as? [[String: Any]] ?? []).compactMap { choice in
      let properties = choice["properties"] as? [String: [String: Any]]
      return properties?["event"]?["const"] as? String
    }
  }

  private static let known: Set = [
    "$schema", "$defs", "$ref", "title", "description", "oneOf", "type", "const", "required", "properties",
    "additionalProperties", "items", "minimum", "maximum", "pattern",
  ]

  private func faults(_ value: Any, _ schema: [String: Any], at place: String) -> [String] {
    var faults = schema.keys.filter { !Self.known.contains($0) }.map { "\(place): \($0) is not checked" }
    if let name = (schema["$ref"] as? String)?.dropFirst("#/$defs/".count) {
      let definition = (root["$defs"] as? [String: [String: Any]])?[String(name)]
      faults += definition.map { self.faults(value, $0, at: place) } ?? ["\(place): there is no \(name)"]
    }
    if let choices = schema["oneOf"] as? [[String: Any]] {
      let found = choices.map { self.faults(value, $0, at: place) }
      if found.count(where: \.isEmpty) != 1 {
        faults += found.min { $0.count < $1.count } ?? []
        faults.append("\(place): fits \(found.count(where: \.isEmpty)) of \(choices.count)")
      }
    }
    if let constant = schema["const"] as? String, value as? String != constant {
      faults.append("\(place): is not \(constant)")
    }
    if let types = schema["type"].map({ $0 as? [String] ?? [$0 as? String ?? ""] }),
      !types.contains(where: { Self.isOfType(value, $0) })
    {
      faults.append("\(place): is no \(types)")
    }
    return faults + bounds(value, schema, place) + parts(value, schema, place)
  }

  private func bounds(_ value: Any, _ schema: [String: Any], _ place: String) -> [String] {
    var faults: [String] = []
    if let number = value as? NSNumber {
      if let least = schema["minimum"] as? Double, number.doubleValue < least {
        faults.append("\(place): < \(least)")
      }
      if let most = schema["maximum"] as? Double, number.doubleValue > most {
        faults.append("\(place): > \(most)")
      }
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      faults.append("\(place): \(text) does not fit \(pattern)")
    }
    return faults
  }

  private func parts(_ value: Any, _ schema: [String: Any], _ place: String) -> [String] {
    if let array = value as? [Any], let items = schema["items"] as? [String: Any] {
      return array.enumerated().flatMap { faults($1, items, at: "\(place)[\($0)]") }
    }
    guard let object = value as? [String: Any], schema["type"] as? String == "object" else { return [] }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    let others = schema["additionalProperties"] as? [String: Any]
    let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
    return missing.map { "\(place).\($0): is missing" }
      + object.flatMap { name, value in
        (properties[name] ?? others).map { faults(value, $0, at: "\(place).\(name)") }
          ?? ["\(place).\(name): is not described"]
      }
  }

  private static func isOfType(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": isBoolean(value)
    case "integer":
      !isBoolean(value) && (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } == true
    case "number": !isBoolean(value) && value is NSNumber
    default: false
    }
  }

  /// Foundation decodes a JSON boolean as an NSNumber whose type is that of a C `char`.
  private static func isBoolean(_ value: Any) -> Bool {
    (value as? NSNumber)?.objCType.pointee == CChar(UInt8(ascii: "c"))
  }
}
