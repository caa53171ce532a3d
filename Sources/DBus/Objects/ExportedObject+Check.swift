extension ExportedObject {
  /// - Throws: `BusError` with `.invalidMessage` for a description that introspection data cannot carry.
  func check() throws(BusError) {
    try Self.requireDistinct(interfaces.map(\.name))
    for interface in interfaces {
      try Self.require(BusNames.isInterface(interface.name), "no interface name: \(interface.name)")
      try Self.require(
        !StandardInterfaces.names.contains(interface.name), "the connection answers \(interface.name) itself")
      try Self.requireDistinct(interface.methods.map(\.name))
      try Self.requireDistinct(interface.properties.map(\.name))
      let members =
        interface.methods.map(\.name) + interface.signals.map(\.name) + interface.properties.map(\.name)
      for member in members { try Self.require(BusNames.isMember(member), "no member name: \(member)") }
      let arguments =
        interface.methods.flatMap { $0.arguments + $0.results } + interface.signals.flatMap(\.arguments)
      for signature in arguments.map(\.signature) + interface.properties.map(\.signature) {
        try Self.require(signature.isSingleType, "not one complete type: \(signature)")
      }
    }
  }

  private static func require(_ condition: Bool, _ message: String) throws(BusError) {
    guard condition else { throw BusError(.invalidMessage, message) }
  }

  private static func requireDistinct(_ names: [String]) throws(BusError) {
    try require(Set(names).count == names.count, "a name is declared twice")
  }
}
