import DBus

/// What the machine keeps of one adapter beside what the tree says of it.
struct AdapterDuty {
  enum Registration: Hashable {
    case none
    case requested
    case done
    /// bluetoothd refused; tried again at this time.
    case failed(BootTime)
  }

  enum Discovery: Hashable {
    case none
    case starting
    case running(since: BootTime)
    case stopping
  }

  /// When the adapter became usable.
  let since: BootTime
  /// Our GattProfile1, which makes the kernel connect to known monitors by itself.
  var registration = Registration.none
  var discovery = Discovery.none
  /// No discovery before this.
  var nextDiscovery: BootTime
  var discoveryBackOff: BackOff
}
