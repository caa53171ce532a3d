internal import Bluetooth

extension HCIPacketType {
  /// The direction of packets of this type, or `nil` if they have both directions (Core Specification, Vol 4,
  /// Part E, §5.4).
  @inline(__always)
  var onlyDirection: HCIDirection? {
    switch self {
    case .command: .hostToController
    case .event: .controllerToHost
    case .aclData, .synchronousData, .isochronousData: nil
    }
  }
}
