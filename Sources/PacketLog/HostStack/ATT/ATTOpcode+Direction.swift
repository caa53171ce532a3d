extension ATTOpcode {
  /// Returns whether a server sends PDUs of this opcode. Responses, notifications, and indications have odd
  /// opcodes.
  static func isServers(_ opcode: UInt8) -> Bool { opcode & 1 == 1 }
}
