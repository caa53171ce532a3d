public import Bluetooth

extension BlueZHost {
  /// Which peripherals a scan shows.
  public struct Admission: Sendable {
    /// Monitors that are known: shown whatever they advertise.
    public var known: Set<BluetoothAddress>
    /// Everything that is heard.
    public var showsAll: Bool

    public init(known: Set<BluetoothAddress> = [], showsAll: Bool = false) {
      self.known = known
      self.showsAll = showsAll
    }

    /// Not every heart-rate monitor advertises the service, so its appearance will do.
    func admits(_ device: Device1) -> Bool {
      // What bluetoothd only remembers is not in the air.
      guard device.rssi != nil || device.isConnected else { return false }
      return showsAll || device.hasHeartRateService || device.looksLikeHeartRateSensor
        || known.contains(device.address)
    }
  }

  /// So long after the call for it a discovery has begun, even where the machine is busy.
  private static let beginning = Duration.seconds(15)

  /// Discovers for a limited time, which counts from when the radio listens.
  ///
  /// The discovery itself is not limited to the service, which would hide monitors that do not advertise it.
  ///
  /// - Parameter look: Called a few times a second with what was heard so far, strongest first.
  /// - Throws: ``BlueZError``, ``BlueZUnavailable``, `CancellationError`.
  public func scan(
    for time: Duration, admitting admission: Admission, _ look: @escaping @Sendable ([SeenPeripheral]) -> Void
  ) async throws {
    let adapter = adapterPath
    try await discovering {
      try await mirror.watch(for: time) { tree in
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
      // Somebody else's serves as well, and what is not answered may have begun.
    } catch let error as CancellationError {
      // It may have begun all the same.
      await endDiscovery()
      throw error
    }
    do {
      // Where this does not come, the body finds what it can.
      _ = try await mirror.holds(within: Self.beginning) { $0.adapter(at: adapter)?.isDiscovering == true }
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
