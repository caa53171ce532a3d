extension GapCause {
  /// Creates the cause of a gap from a controller's reason for the end of a link.
  ///
  /// - Parameter hciReason: The reason in the event Disconnection Complete (Core Specification, Vol 1, Part
  ///   F): 0x08 supervision timeout, 0x22 LL response timeout, 0x3E connection failed to be established;
  ///   0x13–0x15 ended by the peripheral (user, low resources, power off); 0x16 ended by this host.
  public init(hciReason: UInt8) {
    switch hciReason {
    case 0x08, 0x22, 0x3E: self = .linkLoss
    case 0x13, 0x14, 0x15: self = .closedByPeripheral
    case 0x16: self = .closedByHost
    default: self = .unknown
    }
  }
}
