extension BusConnection {
  private static let firstPause = Duration.milliseconds(1)
  private static let longestPause = Duration.milliseconds(100)

  /// Connects by the first way that leads somewhere. The loop goes on meanwhile.
  ///
  /// - Parameter patience: how long each may leave us waiting before it takes us up.
  /// - Throws: `BusError` with `.fileNotFound`, `.noServer`, `.accessDenied` or `.limitsExceeded`, of the
  ///   last way that was tried; `.cancelled`.
  func connect(
    to addresses: [ServerAddress], _ patience: Duration
  ) async throws(BusError) -> (BusSocket, ServerAddress) {
    var last = BusError(.badAddress, "no bus address")
    for address in addresses {
      do throws(BusError) {
        return (try await connect(to: address, patience), address)
      } catch {
        guard error.name != .cancelled else { throw error }
        last = error
      }
    }
    throw last
  }

  private func connect(to address: ServerAddress, _ patience: Duration) async throws(BusError) -> BusSocket {
    let deadline = ContinuousClock.now + patience
    var pause = Self.firstPause
    while true {
      if let socket = try BusSocket.connect(to: address) { return socket }
      guard ContinuousClock.now < deadline else {
        throw BusError(.noServer, "\(address): the bus takes up no connections")
      }
      do {
        try await Task.sleep(for: pause)
      } catch {
        throw BusError(.cancelled, "the caller waits no longer")
      }
      pause = min(pause * 2, Self.longestPause)
    }
  }
}
