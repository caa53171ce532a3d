/// The logical channels that are followed (Core Specification, Vol 3, Part A, §2.1). Attribute bearers on
/// dynamic channels (EATT) are not: no strap is known to use them.
enum L2CAP {
  static let attributeChannel: UInt16 = 0x0004
}
