internal import Foundation
internal import HealthDataSync
internal import HealthKit

/// Computes the messages that a broker should retain for a gateway and its monitors. It does not use the
/// connection.
struct LiveState: Sendable {
  let topics: LiveTopics
  let discovery: Discovery?
  private let identity: ExternalIdentity
  private let lifetime: Duration
  private let selection: LiveSelection

  /// Creates the state for a destination.
  ///
  /// - Parameter lifetime: The age at which a heart rate is no longer published.
  init(_ address: MQTTAddress, _ destination: SyncDestination, states: [String], lifetime: Duration) {
    let identity = destination.identity
    self.identity = identity
    let selection = LiveSelection(destination)
    self.selection = selection
    let topics = LiveTopics(address, identity)
    self.topics = topics
    self.lifetime = lifetime
    let seconds = max(1, Int(lifetime.components.seconds))
    discovery = address.discoveryPrefix.map {
      Discovery(prefix: $0, topics, identity, states: states, lifetime: seconds, selection)
    }
  }

  /// Returns all messages to retain. The gateway's status comes before the messages that depend on it.
  /// Discovery messages come last, because the broker may refuse them.
  ///
  /// - Parameters:
  ///   - monitors: All monitors of the gateway, including monitors that the destination does not include.
  ///   - time: The wall clock time at `now`.
  func messages(_ monitors: [LiveMonitor], at now: ContinuousClock.Instant, _ time: Date) -> [Message] {
    let monitors = selection.monitors(monitors, at: time)
    var messages = [status(isOnline: true)]
    for monitor in monitors {
      messages.append(state(monitor, monitor.current(at: now, lifetime: lifetime)))
      messages.append(availability(monitor, isOnline: monitor.isFollowed))
    }
    guard let discovery else { return messages }
    return messages + ([discovery.gatewayMessage] + monitors.map(discovery.message)).compactMap(\.self)
  }

  /// Returns the topics of discovery messages that earlier versions used for the monitors and the gateway.
  func formerTopics(_ monitors: [LiveMonitor]) -> [String] {
    guard let discovery else { return [] }
    return discovery.formerGatewayTopics + monitors.flatMap { discovery.formerTopics(for: $0.address) }
  }

  /// Returns the messages to publish before disconnecting. They state that all values are unavailable.
  func lastWords(_ monitors: [LiveMonitor], at time: Date) -> [Message] {
    selection.monitors(monitors, at: time).flatMap { [state($0, nil), availability($0, isOnline: false)] } + [
      status(isOnline: false)
    ]
  }

  /// The will, which the broker publishes if the connection is lost.
  var will: Message { status(isOnline: false) }

  /// The message that states that the gateway is connected.
  var online: Message { status(isOnline: true) }

  /// Returns all topics of a monitor for which the broker may retain a message.
  func topics(of monitor: String) -> [String] {
    (discovery.map { [$0.topic(for: monitor)] + $0.formerTopics(for: monitor) } ?? [])
      + [topics.state(monitor), topics.availability(monitor)]
  }

  /// Returns the time at which the messages change without new input, because a measurement becomes too old
  /// or the destination's start date is reached. Returns `nil` if neither will happen.
  func nextChange(
    _ monitors: [LiveMonitor], after now: ContinuousClock.Instant, _ time: Date
  ) -> ContinuousClock.Instant? {
    if let pause = selection.pause(at: time) { return now + pause }
    return selection.monitors(monitors, at: time).compactMap {
      $0.current(at: now, lifetime: lifetime)?.received.advanced(by: lifetime)
    }.min()
  }

  private func status(isOnline: Bool) -> Message {
    Message(
      topic: topics.status, payload: isOnline ? LiveTopics.online : LiveTopics.offline, isRetained: true)
  }

  private func availability(_ monitor: LiveMonitor, isOnline: Bool) -> Message {
    Message(
      topic: topics.availability(monitor.address),
      payload: isOnline ? LiveTopics.online : LiveTopics.offline, isRetained: true)
  }

  /// Returns the message with a monitor's state. The broker discards a heart rate when it becomes too old,
  /// because a killed gateway cannot delete it.
  private func state(_ monitor: LiveMonitor, _ measurement: LiveMonitor.Measurement?) -> Message {
    let payload = try? JSONLine.bytes(StateMessage(monitor, measurement, identity, selection))
    let seconds = UInt32(clamping: max(1, lifetime.components.seconds))
    return Message(
      topic: topics.state(monitor.address), payload: payload ?? [], isRetained: true,
      expiry: measurement?.pulse == nil ? nil : seconds)
  }
}

/// Selects the live values that a destination receives: those whose samples it also receives.
struct LiveSelection: Sendable {
  /// Whether the heart rate and skin contact are included, because heart rate samples are.
  let hasPulse: Bool
  /// Whether RR intervals are included, because heartbeat series are.
  let hasIntervals: Bool
  private let sources: Set<String>?
  private let earliest: Date?

  init(_ destination: SyncDestination) {
    hasPulse = destination.includes(HKQuantityType(.heartRate))
    hasIntervals = destination.includes(HKSeriesType.heartbeat())
    sources = destination.sources
    earliest = destination.from
  }

  /// Returns the monitors to publish.
  ///
  /// The result is empty if the destination receives no live values, or before its start date. Measurements
  /// from before the start date are left out.
  func monitors(_ all: [LiveMonitor], at time: Date) -> [LiveMonitor] {
    guard hasPulse || hasIntervals, earliest.map({ $0 <= time }) ?? true else { return [] }
    return all.filter { sources?.contains($0.source) ?? true }.map { monitor in
      var monitor = monitor
      if let earliest, let measured = monitor.measurement?.time, measured < earliest {
        monitor.measurement = nil
      }
      return monitor
    }
  }

  /// Returns the time until the start date of the destination, or `nil` if it has passed.
  func pause(at time: Date) -> Duration? {
    earliest.flatMap { $0 > time ? .seconds($0.timeIntervalSince(time)) : nil }
  }
}
