import DBus

/// The state of one adapter that bluetoothd's object tree does not contain, such as whether hrgate's GATT
/// profile is registered. ``FollowingMachine`` keeps it.
struct AdapterDuty {
  enum Registration: Hashable {
    case none
    case requested
    case done
    /// bluetoothd returned an error. Registration is retried at this time.
    case failed(BootTime)
  }

  enum Discovery: Hashable {
    case none
    case starting
    case running(since: BootTime)
    case stopping
  }

  /// When the adapter appeared or was switched on.
  let since: BootTime
  /// Registration of hrgate's GattProfile1, which makes the kernel connect to known monitors without a call.
  var registration = Registration.none
  var discovery = Discovery.none
  /// No discovery starts before this time.
  var nextDiscovery: BootTime
  var discoveryBackOff: BackOff
}
