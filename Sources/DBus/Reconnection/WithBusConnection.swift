/// Whether the bus is there.
public enum BusPresence: Sendable, Equatable {
  /// Connected, under this unique name.
  case present(uniqueName: String)
  /// Not there, why, and when it will be tried again.
  case away(BusError, retryAfter: Duration)
}

/// Runs `body` with a connection, and anew with another each time the bus was lost.
///
/// `body` is not cancelled when the bus goes: its streams end and its calls throw `.disconnected`. When it
/// returns or throws while the bus is there, that is the end; when it does so after the bus went, it is run
/// again with the next connection. The connection is closed before this returns.
///
/// - Parameters:
///   - random: from 0 up to 1, for the jitter.
///   - presence: told each change, in order, between the runs of `body`.
/// - Throws: what `body` throws while the bus is there; `BusError` with `.badAddress`, which no waiting
///   mends; `CancellationError` when the task is cancelled while the bus is away.
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

/// How one connection went.
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
  // Asked before closing, which would be a reason too. Our own `close()` in the body is an end, not a loss.
  let loss = await connection.lossOfBus
  await connection.close()
  if let loss { return .lost(loss, after: opened.duration(to: clock.now)) }
  return .ended(result)
}
