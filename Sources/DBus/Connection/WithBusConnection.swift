/// Whether the bus is connected.
public enum BusPresence: Sendable, Equatable {
  /// The bus is connected, under this unique name.
  case present(uniqueName: String)
  /// The bus is not connected. Contains the error and the delay before the next attempt.
  case away(BusError, retryAfter: Duration)
}

/// Runs `body` with a connection. Whenever the bus ends the connection, connects again and runs `body` again.
///
/// When the bus ends the connection, `body` is not canceled: its streams end and its calls throw
/// `.disconnected`. If `body` returns or throws while the bus is connected, so does this function. The
/// connection is closed before this function returns.
///
/// - Parameters:
///   - random: Returns a random number from 0 up to 1, which shortens a delay.
///   - presence: Called when the bus is connected and when it is lost, never while `body` runs.
/// - Throws: Errors of `body` while the bus is connected; `BusError` with `.badAddress`, for which a retry is
///   useless; `CancellationError` if the task is canceled while the bus is not connected.
public func withBusConnection<Value: Sendable, Ticker: Clock>(
  to address: BusAddress, on loop: EventLoop = EventLoop(), backOff: BackOff = BackOff(),
  clock: Ticker = ContinuousClock(),
  random: @Sendable () -> Double = { .random(in: 0..<1) },
  presence: @Sendable (BusPresence) async -> Void = { _ in },
  body: @Sendable (BusConnection) async throws -> Value
) async throws -> Value where Ticker.Duration == Duration {
  var backOff = backOff
  while true {
    let reason: BusError
    switch await run(body, at: address, on: loop, presence: presence, clock: clock) {
    case .ended(let result): return try result.get()
    case .lost(let error, after: let duration):
      if duration >= backOff.steadyAfter { backOff.reset() }
      reason = error
    case .notOpened(let error): reason = error
    }
    try Task.checkCancellation()
    if reason.name == .badAddress { throw reason }
    let delay = backOff.delay(random: random())
    await presence(.away(reason, retryAfter: delay))
    try await clock.sleep(for: delay)
  }
}

/// The outcome of one connection.
private enum Run<Value: Sendable>: Sendable {
  case ended(Result<Value, any Error>)
  case lost(BusError, after: Duration)
  case notOpened(BusError)
}

private func run<Value: Sendable, Ticker: Clock>(
  _ body: @Sendable (BusConnection) async throws -> Value, at address: BusAddress,
  on loop: EventLoop, presence: @Sendable (BusPresence) async -> Void, clock: Ticker
) async -> Run<Value> where Ticker.Duration == Duration {
  let connection: BusConnection
  do throws(BusError) {
    connection = try await BusConnection.open(address, on: loop)
  } catch {
    return .notOpened(error)
  }
  let opened = clock.now
  await presence(.present(uniqueName: connection.uniqueName))
  let result: Result<Value, any Error>
  do {
    result = .success(try await body(connection))
  } catch {
    result = .failure(error)
  }
  // Read this first, because `close()` also sets an error. If `body` closed the connection, it was not the
  // bus that ended it.
  let loss = await connection.lossOfBus
  await connection.close()
  if let loss { return .lost(loss, after: opened.duration(to: clock.now)) }
  return .ended(result)
}
