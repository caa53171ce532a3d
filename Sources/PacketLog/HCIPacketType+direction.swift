internal import Bluetooth

extension HCIPacketType {
  /// The one direction in which packets of this type go, where the type decides it
  /// (Core Specification, Vol 4, Part E, §5.4).
  @inline(__always)
  var onlyDirection: HCIDirection? {
    switch self {
    case .command: .hostToController
    case .event: .controllerToHost
    case .aclData, .synchronousData, .isochronousData: nil
    }
  }
}
