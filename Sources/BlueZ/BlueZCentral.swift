public import Bluetooth
public import DBus

/// A ``Central`` for heart-rate monitors behind a live adapter.
///
/// It follows all of them at once and recovers from failures of the monitors, the adapter, bluetoothd and the
/// bus. It reports these as ``FollowStatus`` to the user and as gaps to the pipeline. It throws no error for
/// a failure that can end without the user.
///
///     let central = BlueZCentral { print($0.monitor, $0.state) }
///     await central.follow([FollowedMonitor(address: address)])
///     async let following: Void = central.run()
///     for try await events in central.events() { … }
public final class BlueZCentral: Central {
  private let bus: BusAddress
  private let timeout: Duration
  private let buffer = EventBuffer(capacity: BoundedEventQueue.capacity)
  private let follower: Follower
  private let loop = EventLoop()

  /// - Parameters:
  ///   - adapter: The only adapter to use; `nil` for any, with a switch to another if one is removed.
  ///   - clock: The clock for receipt times; `nil` for one that starts with the current wall time.
  ///   - gathering: How long events may be held so that several are delivered together, which is much cheaper
  ///     than delivering each alone.
  ///   - hear: Called each time a discovery receives a followed monitor, on the thread that reads the bus. It
  ///     must not block.
  ///   - tell: Called for each change of a monitor's state, in order, on the thread that reads the bus. It
  ///     must not block.
  public convenience init(
    bus: BusAddress = .system, adapter: BluetoothAddress? = nil, clock: ReceiptClock? = nil,
    gathering: Duration = .zero, hear: @escaping @Sendable (HeardSignal) -> Void = { _ in },
    tell: @escaping @Sendable (FollowStatus) -> Void
  ) {
    self.init(
      bus: bus, adapter: adapter, clock: clock, gathering: gathering, policy: FollowingPolicy(), hear: hear,
      tell: tell)
  }

  /// - Parameter timeout: Timeout for bluetoothd's list of objects.
  init(
    bus: BusAddress, adapter: BluetoothAddress?, clock: ReceiptClock?, gathering: Duration = .zero,
    policy: FollowingPolicy, timeout: Duration = BlueZSession.timeout,
    hear: @escaping @Sendable (HeardSignal) -> Void = { _ in },
    tell: @escaping @Sendable (FollowStatus) -> Void
  ) {
    self.bus = bus
    self.timeout = timeout
    follower = Follower(
      on: loop, onlyAdapter: adapter, clock: clock, policy: policy, buffer: buffer, gathering: gathering,
      hear: hear, tell: tell)
  }

  /// The events of all followed monitors, for one consumer. They are delivered in groups.
  public func events() -> ThrowingEvents { ThrowingEvents(buffer: buffer) }

  /// The events, for one consumer. They end after ``stop(timeout:)``.
  public struct ThrowingEvents: AsyncSequence {
    public typealias Element = [CentralEvent]
    public typealias Failure = any Error

    let buffer: EventBuffer

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    public struct Iterator: AsyncIteratorProtocol {
      let buffer: EventBuffer

      public mutating func next() async throws -> [CentralEvent]? { await buffer.next() }
    }
  }

  /// Replaces the list of monitors to follow. For monitors that are followed already, the new options are
  /// ignored: they have an adapter, and their energy total was handled at the first link.
  public func follow(_ monitors: [FollowedMonitor]) async { await follower.follow(monitors) }

  /// Follows the monitors until the task is canceled. Call ``stop(timeout:)`` before, so that bluetoothd
  /// ends our subscriptions.
  public func run() async {
    await withTaskExecutorPreference(loop.taskExecutor) {
      await keepConnected()
    }
    buffer.finish()
  }

  /// Default timeout for releasing what bluetoothd holds. A run has two seconds to end, and some of them are
  /// for later steps.
  public static let finalTimeout = Duration.milliseconds(1250)

  /// Ends the events at once, and releases what bluetoothd holds for us. Takes at most `timeout`, whatever
  /// bluetoothd does.
  public func stop(timeout: Duration = BlueZCentral.finalTimeout) async {
    let (session, calls) = await follower.stop()
    // No events follow, so the consumer does not have to wait for bluetoothd.
    buffer.finish()
    if let session {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await withDiscardingTaskGroup { calling in
            for call in calls { calling.addTask { await session.release(call) } }
          }
        }
        group.addTask { try? await Task.sleep(for: timeout) }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// Returns when the thread that reads the bus has handled due timers. Does not return while that thread
  /// hangs.
  public func takeTurn() async { await follower.takeTurn() }

  // MARK: - The bus

  private func keepConnected() async {
    while !Task.isCancelled {
      do {
        try await withBusConnection(
          to: bus, on: loop,
          presence: { [follower] in if case .away(let error, _) = $0 { await follower.busAway(error) } },
          body: { try await self.converse(on: $0) })
      } catch is CancellationError {
        return
      } catch {
        let refusal = Refusal(error)
        await follower.refused(refusal)
        try? await Task.sleep(for: refusal.pause)
      }
    }
  }

  /// Runs one session, until the connection is lost.
  private func converse(on connection: BusConnection) async throws {
    let session = BlueZSession(connection: connection, timeout: timeout)
    try await HeartRateProfile.export(on: connection)
    let (calls, continuation) = AsyncStream<Follower.Call>.makeStream()
    await follower.busOpened(session, continuation)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { [follower] in
        await withDiscardingTaskGroup { calling in
          for await (id, call) in calls {
            calling.addTask { await follower.answered(await session.perform(call), to: id) }
          }
        }
      }
      group.addTask { [follower] in
        defer { continuation.finish() }
        do {
          try await follower.listen(to: session)
          await follower.busLost()
        } catch let error as BusError where [.disconnected, .cancelled].contains(error.name) {
          await follower.busLost()
          throw error
        } catch {
          await follower.refused(Refusal(error))
          throw error
        }
      }
    }
  }
}
