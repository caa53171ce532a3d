public import Bluetooth

extension BlueZHost {
  /// The peripherals that a scan shows.
  public struct Admission: Sendable {
    /// Monitors that are already known. They are shown regardless of what they advertise.
    public var known: Set<BluetoothAddress>
    /// Whether to show all devices, not only heart-rate monitors.
    public var showsAll: Bool

    /// Creates a filter for a scan.
    ///
    /// - Parameters:
    ///   - known: Monitors that are shown regardless of what they advertise.
    ///   - showsAll: Whether to show all devices, not only heart-rate monitors.
    public init(known: Set<BluetoothAddress> = [], showsAll: Bool = false) {
      self.known = known
      self.showsAll = showsAll
    }

    /// Returns whether to show a device. The appearance of a heart-rate sensor is enough, because some
    /// monitors do not advertise the service.
    func admits(_ device: Device1) -> Bool {
      // Skip devices that bluetoothd merely remembers and does not currently receive.
      guard device.rssi != nil || device.isConnected else { return false }
      return showsAll || device.hasHeartRateService || device.looksLikeHeartRateSensor
        || known.contains(device.address)
    }
  }

  /// Timeout for the start of a discovery. It is long enough for a busy machine.
  private static let beginning = Duration.seconds(15)

  /// Discovers peripherals for `time`, counted from when the discovery has started.
  ///
  /// The discovery is not filtered by service, which would hide monitors that do not advertise it.
  /// - Parameter look: Called a few times a second with all devices found so far, strongest signal first.
  /// - Throws: ``BlueZError``, ``BlueZUnavailableError``, `CancellationError`.
  public func scan(
    for time: Duration, admitting admission: Admission, _ look: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws {
    let adapter = adapterPath
    try await discovering {
      try await objectCache.watch(for: time) { tree in
        let seen = tree.devices.filter { $0.adapter == adapter && admission.admits($0) }.map(
          SeenPeripheral.init)
        look(seen.sorted { ($0.rssi ?? .min, $1.address.bits) > ($1.rssi ?? .min, $0.address.bits) })
      }
    }
  }

  /// Keeps a discovery open while `body` runs.
  func discovering<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    let adapter = adapterPath
    try await perform(.setDiscoveryFilter(adapter: adapter, DiscoveryFilter()))
    do {
      try await perform(.startDiscovery(adapter: adapter))
    } catch let error as BlueZError where error.meaning == .inProgress || error.meaning == .noAnswer {
      // Continue: another client's discovery serves as well, and a call that timed out may have started one.
    } catch let error as CancellationError {
      // The discovery may have started.
      await endDiscovery()
      throw error
    }
    do {
      // Even if bluetoothd does not report a running discovery, `body` can use the devices that it knows.
      _ = try await objectCache.holds(within: Self.beginning) {
        $0.adapter(at: adapter)?.isDiscovering == true
      }
      let value = try await body()
      await endDiscovery()
      return value
    } catch {
      await endDiscovery()
      throw error
    }
  }

  private func endDiscovery() async { await session.release(.stopDiscovery(adapter: adapterPath)) }
}

extension SeenPeripheral {
  fileprivate init(_ device: Device1) {
    self.init(address: device.address)
    name = device.name
    rssi = device.rssi
    appearance = device.appearance
    isPaired = device.isPaired
    isConnected = device.isConnected
    hasHeartRateService = device.hasHeartRateService
    looksLikeHeartRateSensor = device.looksLikeHeartRateSensor
  }
}
