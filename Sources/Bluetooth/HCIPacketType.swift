/// The packet types between a host and its controller. The raw value is the packet indicator of the UART
/// transport (Core Specification, Vol 4, Part A, §2).
public enum HCIPacketType: UInt8, Hashable, Sendable, CaseIterable {
  case command = 1
  case aclData = 2
  case synchronousData = 3
  case event = 4
  case isochronousData = 5
}

/// The direction of an HCI packet.
public enum HCIDirection: Hashable, Sendable {
  case hostToController
  case controllerToHost
}
