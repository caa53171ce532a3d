/// The state of the kernel and its Bluetooth devices.
public struct MachineFacts: Hashable, Sendable {
  /// An rfkill switch.
  public struct RadioSwitch: Hashable, Sendable {
    /// The name: `hci0`, or one chosen by the manufacturer.
    public var name: String
    public var isSoftBlocked: Bool
    public var isHardBlocked: Bool

    public init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
      self.name = name
      self.isSoftBlocked = isSoftBlocked
      self.isHardBlocked = isHardBlocked
    }
  }

  /// The upstream release that the kernel is based on, as stated by the distribution.
  public var kernelRelease: String
  /// Whether it is an Ubuntu kernel. Ubuntu maintains series that kernel.org has ended.
  public var isKernelOfUbuntu: Bool
  public var radioSwitches: [RadioSwitch]
  /// Names of the kernel's adapters, such as `hci0`.
  public var adapters: [String]
  /// Supervision timeout of new links in milliseconds; `nil` if it cannot be read.
  public var supervisionTimeout: Int?

  public init(
    kernelRelease: String, isKernelOfUbuntu: Bool = false, radioSwitches: [RadioSwitch] = [],
    adapters: [String] = [],
    supervisionTimeout: Int? = nil
  ) {
    self.kernelRelease = kernelRelease
    self.isKernelOfUbuntu = isKernelOfUbuntu
    self.radioSwitches = radioSwitches
    self.adapters = adapters
    self.supervisionTimeout = supervisionTimeout
  }
}
