/// One way to a bus: a socket of this machine. D-Bus specification, "Server Addresses".
struct ServerAddress: Hashable {
  /// The path of the socket or, for an abstract one, its name.
  var name: [UInt8]
  /// It has no file: Linux keeps its name.
  var isAbstract: Bool
  /// What the server calls itself, where the address says so: another is not meant.
  var guid: String?

  /// As many octets has Linux room for, with what ends or begins them (unix(7)).
  static let longestName = 107

  /// The ways that an address names, in the order in which they are to be tried.
  ///
  /// - Throws: `BusError` with `.badAddress` for what is no address, and where none of the ways is a socket
  ///   of this machine.
  static func list(_ text: String) throws(BusError) -> [ServerAddress] {
    var entries = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    if entries.count > 1, entries.last?.isEmpty == true { entries.removeLast() }
    var addresses: [ServerAddress] = []
    for entry in entries {
      if let address = try Self.entry(String(Substring(entry))) { addresses.append(address) }
    }
    guard !addresses.isEmpty else {
      throw BusError(.badAddress, "\(text): only unix:path=… and unix:abstract=… can be connected to")
    }
    return addresses
  }

  /// - Returns: nil for a way that is not ours: by TCP, through a program, or one only to listen on.
  private static func entry(_ text: String) throws(BusError) -> ServerAddress? {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
      throw BusError(.badAddress, "“\(text)” is no address, as unix:path=/run/dbus/system_bus_socket is one")
    }
    let keys = try Self.keys(text[text.index(after: colon)...], in: text)
    guard text[..<colon] == "unix" else { return nil }
    switch (keys["path"], keys["abstract"]) {
    case (let path?, nil): return try ServerAddress(path, isAbstract: false, keys["guid"], text)
    case (nil, let name?): return try ServerAddress(name, isAbstract: true, keys["guid"], text)
    case (nil, nil): return nil
    case (_?, _?): throw BusError(.badAddress, "“\(text)” has a path and an abstract name")
    }
  }

  init(name: [UInt8], isAbstract: Bool, guid: String? = nil) {
    self.name = name
    self.isAbstract = isAbstract
    self.guid = guid
  }

  private init(_ name: [UInt8], isAbstract: Bool, _ guid: [UInt8]?, _ text: String) throws(BusError) {
    guard name.count <= Self.longestName, isAbstract || !name.contains(0) else {
      throw BusError(.badAddress, "“\(text)”: a name has at most \(Self.longestName) octets, and no 0 in it")
    }
    self.init(name: name, isAbstract: isAbstract, guid: guid.map { String(decoding: $0, as: UTF8.self) })
  }

  private static func keys(_ text: Substring, in entry: String) throws(BusError) -> [String: [UInt8]] {
    var keys: [String: [UInt8]] = [:]
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex,
        let value = unescaped(pair[pair.index(after: equals)...].utf8), !value.isEmpty,
        keys.updateValue(value, forKey: String(pair[..<equals])) == nil
      else {
        throw BusError(.badAddress, "“\(entry)”: “\(pair)” is no key with a value, or is there twice")
      }
    }
    return keys
  }

  /// - Returns: nil where two digits do not follow a `%`.
  private static func unescaped(_ text: Substring.UTF8View) -> [UInt8]? {
    var octets: [UInt8] = []
    var rest = text
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
        return nil
      }
      octets.append(high << 4 | low)
    }
    return octets
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    Character(UnicodeScalar(character)).hexDigitValue.map(UInt8.init)
  }
}

extension ServerAddress: CustomStringConvertible {
  /// For people: the path, or the name behind an `@`.
  var description: String { (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self) }
}
