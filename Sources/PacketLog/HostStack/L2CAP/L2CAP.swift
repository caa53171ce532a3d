/// The L2CAP channels of LE links (Core Specification, Vol 3, Part A, §2.1).
enum L2CAP {
  static let attributeChannel: UInt16 = 0x0004
  static let signalingChannel: UInt16 = 0x0005
  /// Connection-oriented channels, which are opened on the signaling channel.
  static let dynamicChannels: ClosedRange<UInt16> = 0x0040...0x007F
}
