/// What a value holds when it is of the asked type, and nil when it is not. Each looks through variants.
extension DBusValue {
  /// The value inside of variants, or the value itself.
  public var unwrapped: DBusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  public var asString: String? {
    if case .string(let text) = unwrapped { text } else { nil }
  }

  public var asBool: Bool? {
    if case .boolean(let flag) = unwrapped { flag } else { nil }
  }

  /// Any of the eight integer types; nil also for an unsigned one that `Int` does not hold.
  public var asInteger: Int? {
    switch unwrapped {
    case .byte(let number): Int(number)
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(exactly: number)
    case .uint64(let number): Int(exactly: number)
    default: nil
    }
  }

  public var asDouble: Double? {
    if case .double(let number) = unwrapped { number } else { nil }
  }

  public var asObjectPath: ObjectPath? {
    if case .objectPath(let path) = unwrapped { path } else { nil }
  }

  /// The bytes of an `ay`.
  public var asBytes: [UInt8]? {
    if case .bytes(let bytes) = unwrapped { bytes } else { nil }
  }

  /// The elements of an array, those of an `ay` too.
  public var asArray: [DBusValue]? {
    switch unwrapped {
    case .array(_, let elements): elements
    case .bytes(let bytes): bytes.map(DBusValue.byte)
    default: nil
    }
  }

  /// The texts of an `as`; nil when an element is no text.
  public var asStrings: [String]? {
    guard case .array(_, let elements) = unwrapped else { return nil }
    let texts = elements.compactMap(\.asString)
    return texts.count == elements.count ? texts : nil
  }

  public var asStructure: [DBusValue]? {
    if case .structure(let members) = unwrapped { members } else { nil }
  }

  public var asDictionary: [DBusValue: DBusValue]? {
    if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
  }

  /// The named values of an `a{sv}`, each out of its variant; nil for a dictionary with other keys or values.
  public var asProperties: [String: DBusValue]? {
    guard case .dictionary(let key, let value, let entries) = unwrapped,
      key.rawValue == "s", value.rawValue == "v"
    else { return nil }
    var properties: [String: DBusValue] = [:]
    for (name, entry) in entries {
      guard let name = name.asString else { return nil }
      properties[name] = entry.unwrapped
    }
    return properties
  }
}
