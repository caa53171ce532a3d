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

/// The state of the wall clock.
public struct ClockFacts: Hashable, Sendable {
  /// The current time in seconds since 1970.
  public var now: Double
  /// Whether the clock is synchronized with a time server; `nil` if unknown.
  public var isSynchronised: Bool?

  public init(now: Double, isSynchronised: Bool? = nil) {
    self.now = now
    self.isSynchronised = isSynchronised
  }
}

/// What systemd reports about the gateway's service.
public enum ServiceFacts: Hashable, Sendable {
  public struct Unit: Hashable, Sendable {
    /// The active state: `active`, `failed`, `inactive` …
    public var state: String
    public var isEnabled: Bool

    public init(_ state: String, isEnabled: Bool = false) {
      self.state = state
      self.isEnabled = isEnabled
    }
  }

  /// There is no systemd, or it does not answer.
  case unknown
  /// The units that are installed and can run this user's gateway, by name: the system's, and that of the
  /// user's own manager.
  case units([String: Unit])
}
