extension GapCause {
  /// What a controller's reason for the end of a link means for what the monitor sends.
  ///
  /// - Parameter hciReason: As the event Disconnection Complete has it (Core Specification, Vol 1, Part F):
  ///   0x08 the supervision timeout, 0x22 no response in the link layer, 0x3E never established; 0x13–0x15
  ///   the peripheral, by itself, for want of resources or because it switches off; 0x16 this host.
  public init(hciReason: UInt8) {
    switch hciReason {
    case 0x08, 0x22, 0x3E: self = .linkLoss
    case 0x13, 0x14, 0x15: self = .closedByPeripheral
    case 0x16: self = .closedByHost
    default: self = .unknown
    }
  }
}
