import CDBus

@testable import DBus

/// Generates random D-Bus types and values.
struct RandomValue<Generator: RandomNumberGenerator> {
  var generator: Generator

  mutating func body() -> [DBusValue] {
    let types = (0..<Int.random(in: 0...4, using: &generator)).map { _ in type(depth: 0) }
    return types.map { value(of: $0, depth: 0) }
  }

  /// Returns a complete type. It never contains `h` (a file descriptor).
  mutating func type(depth: Int) -> Signature {
    let text =
      switch Int.random(in: 0..<(depth > 4 ? 12 : 18), using: &generator) {
      case 12, 13: "a\(type(depth: depth + 1))"
      case 14: "a{\(key())\(type(depth: depth + 1))}"
      case 15, 16:
        "("
          + (0..<Int.random(in: 1...3, using: &generator)).map { _ in type(depth: depth + 1).rawValue }
          .joined()
          + ")"
      case 17: "v"
      default: key()
      }
    return Signature(valid: text)
  }

  private mutating func key() -> String {
    String("ybnqiuxtdsog".randomElement(using: &generator)!)
  }

  mutating func value(of type: Signature, depth: Int) -> DBusValue {
    switch type.rawValue.first! {
    case "y": .byte(.random(in: .min ... .max, using: &generator))
    case "b": .boolean(.random(using: &generator))
    case "n": .int16(.random(in: .min ... .max, using: &generator))
    case "q": .uint16(.random(in: .min ... .max, using: &generator))
    case "i": .int32(.random(in: .min ... .max, using: &generator))
    case "u": .uint32(.random(in: .min ... .max, using: &generator))
    case "x": .int64(.random(in: .min ... .max, using: &generator))
    case "t": .uint64(.random(in: .min ... .max, using: &generator))
    case "d": .double(.random(in: -1e300...1e300, using: &generator))
    case "s": .string(text())
    case "o": .objectPath(path())
    case "g": .signature(self.type(depth: 3))
    case "(": .structure(members(of: type).map { value(of: $0, depth: depth + 1) })
    case "v":
      depth > 6
        ? .variant(.boolean(true)) : .variant(value(of: self.type(depth: depth + 1), depth: depth + 1))
    default: array(of: type, depth: depth)
    }
  }

  private mutating func array(of type: Signature, depth: Int) -> DBusValue {
    let count = Int.random(in: 0...(depth > 2 ? 2 : 5), using: &generator)
    let element = Signature(valid: String(type.rawValue.dropFirst()))
    if element.rawValue == "y" {
      return .bytes((0..<count).map { _ in .random(in: .min ... .max, using: &generator) })
    }
    guard element.rawValue.first == "{" else {
      return .array(of: element, (0..<count).map { _ in value(of: element, depth: depth + 1) })
    }
    let pair = element.rawValue.dropFirst().dropLast()
    let (key, content) = (
      Signature(valid: String(pair.prefix(1))), Signature(valid: String(pair.dropFirst()))
    )
    var entries: [DBusValue: DBusValue] = [:]
    for _ in 0..<count {
      entries[value(of: key, depth: depth + 1)] = value(of: content, depth: depth + 1)
    }
    return .dictionary(key: key, value: content, entries)
  }

  private func members(of structure: Signature) -> [Signature] {
    structure.rawValue.withCString { text in
      var iterator = DBusSignatureIter()
      dbus_signature_iter_init(&iterator, text)
      var members = DBusSignatureIter()
      dbus_signature_iter_recurse(&iterator, &members)
      var types: [Signature] = []
      repeat {
        guard let text = dbus_signature_iter_get_signature(&members) else { break }
        defer { dbus_free(text) }
        types.append(Signature(valid: String(cString: text)))
      } while dbus_signature_iter_next(&members) != 0
      return types
    }
  }

  mutating func text() -> String {
    let alphabet: [Character] = ["a", "Z", "'", "\\", "\"", "é", "心", "🫀", "\n", "\u{1}", "\u{FFFE}", " "]
    return String(
      (0..<Int.random(in: 0...12, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! })
  }

  mutating func path() -> ObjectPath {
    var path = ObjectPath.root
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      path = path.appending("e\(UInt16.random(in: .min ... .max, using: &generator))") ?? path
    }
    return path
  }
}
