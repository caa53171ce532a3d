internal import Foundation
public import HealthDataSync
internal import Synchronization

/// Keeps a broker's picture of a running gateway up to date: each monitor's pulse, contact, battery and
/// state, and whether the gateway is there at all.
///
/// ``publish(_:)`` says how things are and returns at once; ``run()`` carries it over. While the broker is
/// away the last that was said is kept, and nothing else.
public final class LivePublisher: Sendable {
  /// What is told to the publisher, until it is taken up.
  private struct Mailbox {
    /// `nil` until the gateway has said which there are.
    var monitors: [LiveMonitor]?
    /// Home Assistant has started.
    var hasListenerStarted = false
    /// Monitors that the broker still keeps something of, from this run or one before.
    var kept: Set<String> = []
    /// Topics at which the broker still keeps what earlier versions published.
    var former: Set<String> = []
    var failure: ExternalStoreError?
  }

  /// What is known of discovery, over as many connections as there are.
  private struct DiscoveryState {
    /// Why the broker does not take it.
    var failure: ExternalStoreError?
    /// When it is published again all the same: it may be permitted by then.
    var retry: ContinuousClock.Instant?
    /// Whether discovery messages are being published. A broker may end the connection for them.
    var isUnderWay = false
    /// The number of consecutive connections that were lost while discovery messages were being published.
    var losses = 0
  }

  /// Losses after which discovery counts as their cause.
  private static let mostLosses = 3

  /// More is not asked for of a broker on whose topics somebody else writes.
  private static let mostKept = 1000
  /// In seconds. A gateway that lost its power is offline half as long again later.
  private static let keepalive: Int32 = 10

  private let settings: BrokerConnection.Settings
  private let state: LiveState
  private let backOff: Duration
  private let wallTime: @Sendable () -> Date
  private let mailbox = Mutex(Mailbox())
  private let bell = Bell()

  /// - Parameters:
  ///   - address: The destination's.
  ///   - password: Of the address' user; `nil` for none.
  ///   - destination: Says what of the live state goes there: what would go of the samples.
  ///   - states: All that a monitor's state can be, for Home Assistant.
  public convenience init(
    _ address: MQTTAddress, password: String?, _ destination: SyncDestination, states: [String] = []
  ) {
    self.init(
      address, password: password, destination, states: states, lifetime: .seconds(10), backOff: .seconds(1))
  }

  /// - Parameters:
  ///   - lifetime: A pulse of this age is none any more: monitors tell it each second.
  ///   - backOff: How long it waits at first after a failure; later up to 64 times as long.
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

  /// Says how things are with all monitors that are enrolled. What of it does not go to the destination is
  /// not published. One that is not among them was forgotten: what the broker keeps of it is removed, also
  /// where an earlier run left it.
  ///
  /// Never waits, and takes the place of what was said before and not yet published.
  public func publish(_ monitors: [LiveMonitor]) {
    mailbox.withLock { $0.monitors = monitors }
    bell.ring()
  }

  /// Why not everything is published at the moment; `nil` while it is.
  public var failure: ExternalStoreError? { mailbox.withLock { $0.failure } }

  /// Connects, publishes and connects again until the task is cancelled; then says that nothing is live any
  /// more, and leaves.
  /// - Parameter report: called when ``failure`` changes. Must not wait.
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
        // Cancelled.
        return
      }
    }
  }

  private func note(_ failure: ExternalStoreError?, _ report: (ExternalStoreError?) -> Void) {
    let isNew = mailbox.withLock { mailbox in
      defer { mailbox.failure = failure }
      return mailbox.failure != failure
    }
    if isNew { report(failure) }
  }

  /// Goes on without discovery for a while: about a minute, and up to an hour if each attempt ends the
  /// connection, because the broker then announces that the gateway is offline.
  private func suspend(_ discovery: inout DiscoveryState, _ error: ExternalStoreError) {
    let pause = pause(after: 0, .lasting) * Double(1 << min(discovery.losses, 6))
    discovery = DiscoveryState(failure: error, retry: .now + pause, losses: discovery.losses)
  }

  private func pause(after failures: Int, _ outlook: ExternalStoreError.Outlook) -> Duration {
    switch outlook {
    case .passingAfter(let duration): duration
    case .passing: backOff * Double(1 << min(failures, 6)) * Double.random(in: 0.5...1)
    // It may have been mended.
    case .lasting: backOff * 64 * Double.random(in: 0.5...1)
    }
  }

  // MARK: - A connection

  /// - Parameter done: Called when the broker has all.
  private func connect(
    _ discovery: inout DiscoveryState, _ report: (ExternalStoreError?) -> Void, _ done: () -> Void
  ) async throws {
    let connection = try await BrokerConnection.open(
      settings, received: { [weak self] in self?.receive($0) }, ended: { [bell] in bell.ring() })
    do {
      try await subscribe(connection)
      try await keepUp(connection, &discovery, report, done)
    } catch is CancellationError {
      // A task of its own, since this one may wait for nothing any more; it ends within seconds.
      await Task { await connection.close(saying: lastWords) }.value
      throw CancellationError()
    } catch {
      connection.abandon()
      throw error
    }
  }

  private var lastWords: [Message] {
    state.lastWords(mailbox.withLock { $0.monitors } ?? [], at: wallTime())
  }

  /// Where this is not permitted, what was left behind stays, and Home Assistant finds what is kept.
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
      let (monitors, isNew, kept) = mailbox.withLock { mailbox in
        defer {
          mailbox.hasListenerStarted = false
          if mailbox.monitors != nil { mailbox.kept = [] }
        }
        return (mailbox.monitors, mailbox.hasListenerStarted, mailbox.monitors == nil ? [] : mailbox.kept)
      }
      if isNew { sent = [:] }
      if isNew || discovery.retry.map({ $0 <= .now }) ?? false {
        discovery = DiscoveryState(losses: discovery.losses)
        sent = sent.filter { !isDiscovery($0.key) }
      }
      for monitor in kept {
        // Whatever it is, it is there, and goes if it is not wanted.
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
      if isDone { await bell.wait(until: next) }
    }
  }

  private func isDiscovery(_ topic: String) -> Bool { state.discovery?.owns(topic) ?? false }

  /// What to publish so that the broker keeps what is wanted, and nothing else of what it keeps.
  private static func changes(from sent: [String: Message], to wanted: [Message]) -> [Message] {
    let topics = Set(wanted.map(\.topic))
    let gone = sent.keys.filter { !topics.contains($0) }.sorted()
    return gone.map { Message(topic: $0, payload: [], isRetained: true) }
      + wanted.filter { sent[$0.topic] != $0 }
  }

  private func publish(_ messages: [Message], over connection: BrokerConnection) async throws {
    guard !messages.isEmpty else { return }
    let answers = try await connection.publish(messages)
    for (message, answer) in zip(messages, answers) where answer.isFailure {
      throw BrokerFailure.untaken(settings.address, answer, topic: message.topic)
    }
  }

  // MARK: - Discovery

  /// Publishes configurations and removes those that earlier versions left at former topics.
  /// - Returns: The error, if the broker denies them and keeps the connection.
  /// - Throws: The same error if the broker ends the connection afterwards.
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
      // The broker may end the connection after it denied a message.
      do { try await publish([state.online], over: connection) } catch is ExternalStoreError { throw failure }
      return failure
    }
  }

  /// Returns the former topics at which the broker keeps something. What it keeps comes before the answer to
  /// a message that is published after the subscription.
  private func leftovers(
    at topics: Set<String>, over connection: BrokerConnection
  ) async throws -> [String] {
    guard !topics.isEmpty else { return [] }
    mailbox.withLock { $0.former = [] }
    _ = try await connection.subscribe(topics.sorted())
    try await publish([state.online], over: connection)
    return mailbox.withLock { $0.former.intersection(topics).sorted() }
  }

  /// On the connection's thread.
  private func receive(_ message: ReceivedMessage) {
    mailbox.withLock { mailbox in
      if message.topic == state.discovery?.birthTopic {
        // One that was kept is older than this connection, at whose beginning all is told.
        if !message.isRetained, message.payload == LiveTopics.online { mailbox.hasListenerStarted = true }
      } else if let monitor = state.topics.monitor(ofAvailability: message.topic) {
        if message.isRetained, mailbox.kept.count < Self.mostKept { mailbox.kept.insert(monitor) }
      } else if message.isRetained, !message.payload.isEmpty, mailbox.former.count < Self.mostKept {
        // Nothing else was subscribed to.
        mailbox.former.insert(message.topic)
      }
    }
    bell.ring()
  }
}
