/// The offsets of keys in commands and events: a key extends from this offset in the parameters to their end.
enum SecretFields {
  static let leMeta: UInt8 = 0x3E
  static let commandComplete: UInt8 = 0x0E

  /// Commands, by opcode (Core Specification, Vol 4, Part E, §7.1, §7.3, §7.8).
  static let commands: [UInt16: Int] = [
    0x040B: 6,  // Link Key Request Reply
    0x040D: 6,  // PIN Code Request Reply
    0x042E: 6,  // User Passkey Request Reply
    0x0430: 6,  // Remote OOB Data Request Reply
    0x0445: 6,  // Remote OOB Extended Data Request Reply
    0x0C11: 1,  // Write Stored Link Key
    0x2017: 0,  // LE Encrypt
    0x2019: 12,  // LE Enable Encryption, after handle, random number and diversifier
    0x201A: 2,  // LE Long Term Key Request Reply
    0x2027: 7,  // LE Add Device To Resolving List, after the identity
    0x2068: 15,  // LE Create BIG
    0x206B: 4,  // LE BIG Create Sync
  ]

  /// Events, by event code (§7.7).
  static let events: [UInt8: Int] = [
    0x15: 1,  // Return Link Keys
    0x18: 6,  // Link Key Notification
    0x3B: 6,  // User Passkey Notification
  ]

  /// Subevents of LE Meta, by subevent code (§7.7.65). The offset includes the subevent code.
  static let subevents: [UInt8: Int] = [
    0x09: 2  // LE Generate DHKey Complete
  ]

  /// Commands whose response contains a secret after its status: Read Local OOB Data and its extended form,
  /// LE Encrypt, LE Rand.
  static let answers: Set<UInt16> = [0x0C57, 0x0C7D, 0x2017, 0x2018]

  /// Commands of the kernel's management interface (BlueZ, doc/mgmt-api.txt): Load Link Keys, Load Long Term
  /// Keys, PIN Code Reply, User Passkey Reply, Add Remote Out Of Band Data, Set Privacy, Load Identity
  /// Resolving Keys, Set Blocked Keys.
  static let controlCommands: Set<UInt16> = [
    0x0012, 0x0013, 0x0016, 0x001E, 0x0021, 0x002F, 0x0030, 0x0046,
  ]

  /// Management events: New Link Key, New Long Term Key, Passkey Notify, New Identity Resolving Key, New
  /// Signature Resolving Key.
  static let controlEvents: Set<UInt16> = [0x0009, 0x000A, 0x0017, 0x0018, 0x0019]

  /// Management commands with a secret response: Read Local Out Of Band Data and its extended form.
  static let controlAnswers: Set<UInt16> = [0x0020, 0x003B]

  /// Commands of the Security Manager (Core Specification, Vol 3, Part H, §3.5, §3.6): Pairing Random, which
  /// reveals the key together with the rest of a legacy pairing; Encryption Information, Identity
  /// Information, Signing Information.
  static let pairing: Set<UInt8> = [0x04, 0x06, 0x08, 0x0A]
}
