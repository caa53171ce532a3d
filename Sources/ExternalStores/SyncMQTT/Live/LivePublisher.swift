internal import Channels
internal import Foundation
public import HealthDataSync
internal import Synchronization

/// Publishes the current state of a running gateway: the heart rate, contact, battery and connection state of
/// each monitor, and whether the gateway is online.
///
/// ``publish(_:)`` sets the state and returns immediately. ``run()`` sends it to the broker. While the broker
/// cannot be reached, only the latest state is kept.
///
/// ```swift
/// let publisher = LivePublisher(address, password: nil, destination)
/// async let running: Void = publisher.run()
/// publisher.publish(monitors)
/// ```
public final class LivePublisher: Sendable {
  /// Input that ``run()`` has not processed yet.
  private struct Input {
    /// The monitors, or `nil` before the first call to `publish`.
    var monitors: [LiveMonitor]?
    /// Whether Home Assistant has announced that it has started.
    var hasListenerStarted = false
    /// The monitors for which the broker retains a message, from this run or an earlier one.
    var kept: Set<String> = []
    /// The topics of earlier versions for which the broker retains a message.
    var former: Set<String> = []
    var failure: ExternalStoreError?
  }

  /// The state of Home Assistant's discovery. It outlives a connection.
  private struct DiscoveryState {
    /// The reason why the broker refuses discovery messages.
    var failure: ExternalStoreError?
    /// The time of the next attempt. By then, the user may have been given permission.
    var retry: ContinuousClock.Instant?
    /// Whether discovery messages are being published. If the connection ends meanwhile, they may be the
    /// cause.
    var isUnderWay = false
    /// The number of consecutive connections that were lost while discovery messages were being published.
    var losses = 0
  }

  /// Number of lost connections after which discovery messages are assumed to be the cause.
  private static let mostLosses = 3

  /// Maximum number of retained messages to process. Other clients may publish any number of messages to the
  /// same topics.
  private static let mostKept = 1000
  /// The keepalive interval in seconds. If the gateway loses power, the broker publishes `offline` after 1.5
  /// times this interval.
  private static let keepalive: Int32 = 10

  private let settings: BrokerConnection.Settings
  private let state: LiveState
  private let backOff: Duration
  private let wallTime: @Sendable () -> Date
  private let input = Mutex(Input())
  /// Wakes the loop in ``run()``.
  private let wakes = BoundedQueue<Void>(capacity: 1)

  /// Creates a publisher.
  ///
  /// - Parameters:
  ///   - address: The address of the broker.
  ///   - password: The password of the address's user, or `nil`.
  ///   - destination: The sync destination. Live values are published only if it includes the corresponding
  ///     samples.
  ///   - states: All possible connection states of a monitor, for Home Assistant.
  public convenience init(
    _ address: MQTTAddress, password: String?, _ destination: SyncDestination, states: [String] = []
  ) {
    self.init(
      address, password: password, destination, states: states, lifetime: .seconds(10), backOff: .seconds(1))
  }

  /// Creates a publisher with timing for tests.
  ///
  /// - Parameters:
  ///   - lifetime: The age at which a heart rate is no longer published. Monitors send one every second.
  ///   - backOff: The delay after the first error. It grows up to 64-fold.
  init(
    _ address: MQTTAddress, password: String?, _ destination: SyncDestination, states: [String],
    lifetime: Duration, backOff: Duration, wallTime: @escaping @Sendable () -> Date = { Date() }
  ) {
    state = LiveState(address, destination, states: states, lifetime: lifetime)
    settings = BrokerConnection.Settings(
      address: address, password: password,
      clientID: ClientID.live(destination.identity, destination: destination.name),
      keepalive: Self.keepalive, will: state.will)
    self.backOff = backOff
    self.wallTime = wallTime
  }

  /// Sets the state of all enrolled monitors.
  ///
  /// Only values that the destination includes are published. A missing monitor means that the user removed
  /// it: the messages that the broker retains for it are deleted, even those of an earlier run.
  ///
  /// This method never blocks. It replaces a state that has not been published yet.
  public func publish(_ monitors: [LiveMonitor]) {
    input.withLock { $0.monitors = monitors }
    wakes.append(())
  }

  /// The error that keeps the state from being published completely, or `nil`.
  public var failure: ExternalStoreError? { input.withLock { $0.failure } }

  /// Connects, publishes and reconnects until the task is canceled. Then publishes that all values are
  /// unavailable, and disconnects.
  ///
  /// - Parameter report: Called when ``failure`` changes. It must not block.
  public func run(reporting report: @Sendable (ExternalStoreError?) -> Void = { _ in }) async {
    var failures = 0
    var discovery = DiscoveryState()
    while !Task.isCancelled {
      do {
        try await connect(&discovery, report) { failures = 0 }
      } catch let error as ExternalStoreError {
        if discovery.isUnderWay {
          discovery.isUnderWay = false
          discovery.losses += 1
          let cause =
            error.outlook == .lasting
            ? error
            : discovery.losses >= Self.mostLosses
              ? BrokerFailure.discoveryEndsConnection(settings.address) : nil
          if let cause {
            suspend(&discovery, cause)
            note(cause, report)
            continue
          }
        }
        note(error, report)
        try? await Task.sleep(for: pause(after: failures, error.outlook))
        failures += 1
      } catch {
        // The task was canceled.
        return
      }
    }
  }

  private func note(_ failure: ExternalStoreError?, _ report: (ExternalStoreError?) -> Void) {
    let isNew = input.withLock { input in
      defer { input.failure = failure }
      return input.failure != failure
    }
    if isNew { report(failure) }
  }

  /// Suspends discovery messages for about one minute. If they end the connection every time, the pause grows
  /// to as much as one hour, because subscribers see the gateway go offline each time.
  private func suspend(_ discovery: inout DiscoveryState, _ error: ExternalStoreError) {
    let pause = pause(after: 0, .lasting) * Double(1 << min(discovery.losses, 6))
    discovery = DiscoveryState(failure: error, retry: .now + pause, losses: discovery.losses)
  }

  private func pause(after failures: Int, _ outlook: ExternalStoreError.Outlook) -> Duration {
    switch outlook {
    case .passingAfter(let duration): duration
    case .passing: backOff * Double(1 << min(failures, 6)) * Double.random(in: 0.5...1)
    // Retry at the longest interval, because the user may have fixed the problem.
    case .lasting: backOff * 64 * Double.random(in: 0.5...1)
    }
  }

  // MARK: - Connection

  /// Opens a connection and publishes until it ends.
  ///
  /// - Parameter done: Called when the broker has the complete state.
  private func connect(
    _ discovery: inout DiscoveryState, _ report: (ExternalStoreError?) -> Void, _ done: () -> Void
  ) async throws {
    let connection = try await BrokerConnection.open(
      settings, received: { [weak self] in self?.receive($0) }, ended: { [wakes] in wakes.append(()) })
    do {
      try await subscribe(connection)
      try await keepUp(connection, &discovery, report, done)
    } catch is CancellationError {
      // Close in another task, because this one is canceled and cannot wait. It takes a few seconds at most.
      await Task { await connection.close(saying: lastWords) }.value
      throw CancellationError()
    } catch {
      connection.abandon()
      throw error
    }
  }

  private var lastWords: [Message] {
    state.lastWords(input.withLock { $0.monitors } ?? [], at: wallTime())
  }

  /// Subscribes to retained messages of earlier runs, and to Home Assistant's announcements. Ignores
  /// refusals: without access to these topics, old messages remain, but Home Assistant still finds the
  /// retained configurations.
  private func subscribe(_ connection: BrokerConnection) async throws {
    let filters = [state.topics.allAvailabilities] + (state.discovery.map { [$0.birthTopic] } ?? [])
    _ = try await connection.subscribe(filters)
  }

  private func keepUp(
    _ connection: BrokerConnection, _ discovery: inout DiscoveryState,
    _ report: (ExternalStoreError?) -> Void, _ done: () -> Void
  ) async throws {
    var sent: [String: Message] = [:]
    var former: Set<String> = []
    while true {
      try Task.checkCancellation()
      if let failure = connection.failure { throw failure }
      let (monitors, isNew, kept) = input.withLock { input in
        defer {
          input.hasListenerStarted = false
          if input.monitors != nil { input.kept = [] }
        }
        return (input.monitors, input.hasListenerStarted, input.monitors == nil ? [] : input.kept)
      }
      if isNew { sent = [:] }
      if isNew || discovery.retry.map({ $0 <= .now }) ?? false {
        discovery = DiscoveryState(losses: discovery.losses)
        sent = sent.filter { !isDiscovery($0.key) }
      }
      for monitor in kept {
        // Assume that the broker retains a message on each topic of the monitor, so that unwanted ones are
        // deleted.
        for topic in state.topics(of: monitor) where sent[topic] == nil {
          sent[topic] = Message(topic: topic, payload: [])
        }
      }
      let (now, time) = (ContinuousClock.now, wallTime())
      let changes = Self.changes(from: sent, to: state.messages(monitors ?? [], at: now, time))
      let own = changes.filter { !isDiscovery($0.topic) }
      try await publish(own, over: connection)
      for change in own { sent[change.topic] = change.payload.isEmpty ? nil : change }
      if discovery.failure == nil {
        let more = Set(state.formerTopics(monitors ?? [])).subtracting(former)
        discovery.isUnderWay = true
        let changes = changes.filter { isDiscovery($0.topic) }
        if let failure = try await announce(changes, replacing: more, over: connection) {
          suspend(&discovery, failure)
        } else {
          former.formUnion(more)
          for change in changes { sent[change.topic] = change.payload.isEmpty ? nil : change }
          discovery.losses = 0
        }
        discovery.isUnderWay = false
      }
      note(discovery.failure, report)
      done()
      let isDone = changes.allSatisfy { isDiscovery($0.topic) && discovery.failure != nil }
      let next = [state.nextChange(monitors ?? [], after: now, time), discovery.retry].compactMap(\.self)
        .min()
      if isDone { await waitForWake(until: next) }
    }
  }

  private func waitForWake(until deadline: ContinuousClock.Instant?) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [wakes] in await wakes.next() }
      if let deadline { group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) } }
      await group.next()
      group.cancelAll()
    }
  }

  private func isDiscovery(_ topic: String) -> Bool { state.discovery?.owns(topic) ?? false }

  /// Returns the messages to publish so that the broker retains `wanted` instead of `sent`.
  private static func changes(from sent: [String: Message], to wanted: [Message]) -> [Message] {
    let topics = Set(wanted.map(\.topic))
    let gone = sent.keys.filter { !topics.contains($0) }.sorted()
    return gone.map { Message(topic: $0, payload: [], isRetained: true) }
      + wanted.filter { sent[$0.topic] != $0 }
  }

  private func publish(_ messages: [Message], over connection: BrokerConnection) async throws {
    guard !messages.isEmpty else { return }
    let responses = try await connection.publish(messages)
    for (message, response) in zip(messages, responses) where response.isFailure {
      throw BrokerFailure.untaken(settings.address, response, topic: message.topic)
    }
  }

  // MARK: - Discovery

  /// Publishes discovery messages and deletes messages that earlier versions left on former topics.
  ///
  /// - Returns: The error, if the broker refuses the messages and keeps the connection open.
  /// - Throws: The same error if the broker closes the connection afterwards.
  private func announce(
    _ messages: [Message], replacing former: Set<String>, over connection: BrokerConnection
  ) async throws -> ExternalStoreError? {
    let left = try await leftovers(at: former, over: connection)
    do {
      try await publish(left.map(Discovery.migration), over: connection)
      try await publish(messages, over: connection)
      try await publish(
        left.map { Message(topic: $0, payload: [], isRetained: true) }, over: connection)
      return nil
    } catch {
      guard let failure = error as? ExternalStoreError else { throw error }
      // Check that the connection still works: the broker may close it after refusing a message.
      do { try await publish([state.online], over: connection) } catch is ExternalStoreError { throw failure }
      return failure
    }
  }

  /// Returns the former topics for which the broker retains a message. To find them, subscribes and publishes
  /// a message: the retained messages arrive before its acknowledgment.
  private func leftovers(
    at topics: Set<String>, over connection: BrokerConnection
  ) async throws -> [String] {
    guard !topics.isEmpty else { return [] }
    input.withLock { $0.former = [] }
    _ = try await connection.subscribe(topics.sorted())
    try await publish([state.online], over: connection)
    return input.withLock { $0.former.intersection(topics).sorted() }
  }

  /// Handles a received message on the connection's thread.
  private func receive(_ message: ReceivedMessage) {
    input.withLock { input in
      if message.topic == state.discovery?.birthTopic {
        // Ignore a retained announcement: it is older than this connection, which has published the complete
        // state.
        if !message.isRetained, message.payload == LiveTopics.online { input.hasListenerStarted = true }
      } else if let monitor = state.topics.monitor(ofAvailability: message.topic) {
        if message.isRetained, input.kept.count < Self.mostKept { input.kept.insert(monitor) }
      } else if message.isRetained, !message.payload.isEmpty, input.former.count < Self.mostKept {
        // All other subscriptions are for former topics.
        input.former.insert(message.topic)
      }
    }
    wakes.append(())
  }
}
