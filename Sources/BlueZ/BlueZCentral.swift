public import Bluetooth
public import DBus

/// Heart-rate monitors behind a live adapter, as a ``Central``.
///
/// It follows all of them at once, and goes on by itself through whatever happens to them, to the adapter, to
/// bluetoothd and to the bus; what that was is told as ``FollowStatus`` to the user, and as gaps to the
/// pipeline. Nothing is an error here that time may mend.
///
///     let central = BlueZCentral { print($0.monitor, $0.state) }
///     await central.follow([FollowedMonitor(address: address)])
///     async let following: Void = central.run()
///     for try await events in central.events() { … }
public final class BlueZCentral: Central {
  private let bus: BusAddress
  private let patience: Duration
  private let buffer = EventBuffer(capacity: EventOutlet.capacity)
  private let follower: Follower
  private let loop = EventLoop()

  /// - Parameters:
  ///   - adapter: Only this one is used; `nil` for any, and another when one goes.
  ///   - clock: By which receipt times are told; `nil` for one that begins with wall time now.
  ///   - gathering: Events may wait so long for others that are handed on with them, which costs a fraction
  ///     of handing on each by itself.
  ///   - hear: Called whenever a monitor that is followed is heard by a discovery, on the thread that reads
  ///     the bus: it must not block.
  ///   - tell: Called for each change of a monitor's state, in order, on the thread that reads the bus: it
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

  /// - Parameter patience: How long bluetoothd may take to tell its objects.
  init(
    bus: BusAddress, adapter: BluetoothAddress?, clock: ReceiptClock?, gathering: Duration = .zero,
    policy: FollowingPolicy, patience: Duration = BlueZSession.patience,
    hear: @escaping @Sendable (HeardSignal) -> Void = { _ in },
    tell: @escaping @Sendable (FollowStatus) -> Void
  ) {
    self.bus = bus
    self.patience = patience
    follower = Follower(
      on: loop, onlyAdapter: adapter, clock: clock, policy: policy, buffer: buffer, gathering: gathering,
      hear: hear, tell: tell)
  }

  public func events() -> ThrowingEvents { ThrowingEvents(buffer: buffer) }

  /// The events. For one consumer; they end after ``stop()``.
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

  /// Sets which monitors are followed, from now on. What is given of one that is followed already is passed
  /// over: it has an adapter, and its energy total was seen to when it was first linked.
  public func follow(_ monitors: [FollowedMonitor]) async { await follower.follow(monitors) }

  /// Follows until the task is cancelled. Call ``stop()`` before, so that bluetoothd is left in order.
  public func run() async {
    await withTaskExecutorPreference(loop.taskExecutor) {
      await keepConnected()
    }
    buffer.finish()
  }

  /// So long bluetoothd may take to be given back what it holds: of the two seconds in which a run is to end,
  /// some are for what comes after.
  public static let lastPatience = Duration.milliseconds(1250)

  /// Ends the events, and gives back what bluetoothd holds for us. Takes no longer than `patience`, whatever
  /// bluetoothd does; the events end at once.
  public func stop(patience: Duration = BlueZCentral.lastPatience) async {
    let (session, calls) = await follower.stop()
    // Nothing comes after this, so whoever stores the events need not wait for bluetoothd.
    buffer.finish()
    if let session {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await withDiscardingTaskGroup { calling in
            for call in calls { calling.addTask { await session.release(call) } }
          }
        }
        group.addTask { try? await Task.sleep(for: patience) }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// Returns when the thread that reads the bus has looked at what is due; not while it hangs.
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

  /// Everything over one connection, until it is lost.
  private func converse(on connection: BusConnection) async throws {
    let session = BlueZSession(connection: connection, patience: patience)
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
