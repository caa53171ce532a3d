public import Bluetooth
public import DBus

/// A ``Central`` that receives heart-rate monitors through bluetoothd and a real adapter.
///
/// It follows any number of monitors at once. If a monitor, the adapter, bluetoothd or the bus fails, it
/// reports a ``FollowStatus`` for the user and a gap in the data, and tries again. It does not throw in these
/// cases.
///
/// ```swift
/// let central = BlueZCentral { print($0.monitor, $0.state) }
/// await central.follow([FollowedMonitor(address: address)])
/// async let following: Void = central.run()
/// for try await events in central.events() {
///   print(events.count, "events")
/// }
/// ```
public final class BlueZCentral: Central {
  private let bus: BusAddress
  private let timeout: Duration
  private let buffer = EventBuffer(capacity: BoundedEventQueue.capacity)
  private let follower: Follower
  private let loop = EventLoop()

  /// - Parameters:
  ///   - adapter: The only adapter to use; `nil` for any, with a switch to another if one is removed.
  ///   - clock: The clock for receipt times; `nil` for one that starts with the current wall time.
  ///   - gathering: The longest time for which an event is held, so that several are delivered together. This
  ///     is much cheaper than delivering events one by one.
  ///   - hear: Called with the signal strength of each advertisement of a followed monitor, on the thread
  ///     that reads the bus. It must not block.
  ///   - report: Called for each change of a monitor's state, in order, on the thread that reads the bus. It
  ///     must not block.
  public convenience init(
    bus: BusAddress = .system, adapter: BluetoothAddress? = nil, clock: ReceiptClock? = nil,
    gathering: Duration = .zero, hear: @escaping @Sendable (HeardSignal) -> Void = { _ in },
    report: @escaping @Sendable (FollowStatus) -> Void
  ) {
    self.init(
      bus: bus, adapter: adapter, clock: clock, gathering: gathering, policy: FollowingPolicy(), hear: hear,
      report: report)
  }

  /// - Parameter timeout: Timeout of the call GetManagedObjects.
  init(
    bus: BusAddress, adapter: BluetoothAddress?, clock: ReceiptClock?, gathering: Duration = .zero,
    policy: FollowingPolicy, timeout: Duration = BlueZSession.timeout,
    hear: @escaping @Sendable (HeardSignal) -> Void = { _ in },
    report: @escaping @Sendable (FollowStatus) -> Void
  ) {
    self.bus = bus
    self.timeout = timeout
    follower = Follower(
      on: loop, onlyAdapter: adapter, clock: clock, policy: policy, buffer: buffer, gathering: gathering,
      hear: hear, report: report)
  }

  /// The events of all followed monitors, in groups, for one consumer.
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

  /// Replaces the list of monitors to follow. The options of a monitor that is already followed are not
  /// updated.
  public func follow(_ monitors: [FollowedMonitor]) async { await follower.follow(monitors) }

  /// Follows the monitors until the task is canceled. Call ``stop(timeout:)`` before canceling it, so that
  /// bluetoothd ends this program's subscriptions.
  public func run() async {
    await withTaskExecutorPreference(loop.taskExecutor) {
      await keepConnected()
    }
    buffer.finish()
  }

  /// Default timeout of ``stop(timeout:)``. `hrgate run` must end within two seconds, and needs the rest for
  /// other steps.
  public static let finalTimeout = Duration.milliseconds(1250)

  /// Ends the event sequence at once. Then ends this program's subscriptions and connection attempts in
  /// bluetoothd, for at most `timeout`.
  public func stop(timeout: Duration = BlueZCentral.finalTimeout) async {
    let (session, calls) = await follower.stop()
    // No more events follow, so the consumer does not have to wait for bluetoothd.
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

  /// Runs the timers that are due, on the thread that reads the bus. If that thread hangs, the call does not
  /// return, so a watchdog can use it to detect the hang.
  public func respondToProbe() async { await follower.respondToProbe() }

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
        let accessFailure = BusAccessFailure(error)
        await follower.refused(accessFailure)
        try? await Task.sleep(for: accessFailure.pause)
      }
    }
  }

  /// Follows the monitors over one bus connection, until that connection is lost.
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
          await follower.refused(BusAccessFailure(error))
          throw error
        }
      }
    }
  }
}
