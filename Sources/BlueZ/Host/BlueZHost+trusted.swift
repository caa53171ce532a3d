public import Bluetooth

/// A monitor that bluetoothd trusts or has a bond with.
public struct TrustedMonitor: Hashable, Sendable {
  public var address: BluetoothAddress
  public var name: String?
  public var isBonded: Bool
}

extension BlueZHost {
  /// The heart-rate monitors on this adapter that were paired with this machine. `hrgate pair` marks monitors
  /// as trusted, also those without a bond, and bluetoothd remembers it.
  public func trustedMonitors() async -> [TrustedMonitor] {
    await objectCache.tree.devices.filter { device in
      device.adapter == adapterPath && (device.isTrusted || device.isPaired)
        && (device.hasHeartRateService || device.looksLikeHeartRateSensor)
    }.map { TrustedMonitor(address: $0.address, name: $0.name, isBonded: $0.isPaired) }
  }
}
