/// What the kernel tells.
public struct MachineFacts: Hashable, Sendable {
  /// A switch of the radio (rfkill).
  public struct RadioSwitch: Hashable, Sendable {
    /// `hci0`, or as the maker of the machine calls it.
    public var name: String
    public var isSoftBlocked: Bool
    public var isHardBlocked: Bool

    public init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
      self.name = name
      self.isSoftBlocked = isSoftBlocked
      self.isHardBlocked = isHardBlocked
    }
  }

  /// The release that the kernel is made of, as its maker says.
  public var kernelRelease: String
  /// Ubuntu made it, which mends series that kernel.org has given up.
  public var isKernelOfUbuntu: Bool
  public var radioSwitches: [RadioSwitch]
  /// The adapters that the kernel has: `hci0`.
  public var adapters: [String]
  /// Of new links, in milliseconds; `nil` where it cannot be read.
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
