extension ATTOpcode {
  /// Whether a PDU of this opcode comes from a server: responses have odd numbers, as have the values that it
  /// pushes.
  static func isServers(_ opcode: UInt8) -> Bool { opcode & 1 == 1 }
}
