internal import Foundation
internal import HealthDataSync

/// What a broker should keep of a gateway and its monitors at a moment: a value, which knows no connection.
struct LiveState: Sendable {
  let topics: LiveTopics
  let discovery: Discovery?
  private let identity: ExternalIdentity
  private let lifetime: Duration
  private let selection: LiveSelection

  /// - Parameter lifetime: A pulse of this age is none any more.
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

  /// All that is to be kept: the status before what depends on it, and discovery last, which may not be
  /// permitted.
  ///
  /// - Parameters:
  ///   - monitors: Those of the gateway, whether or not the destination is told of them.
  ///   - time: The same moment as `now`.
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

  /// The topics of all monitors, and of the gateway, that earlier versions used for discovery.
  func formerTopics(_ monitors: [LiveMonitor]) -> [String] {
    guard let discovery else { return [] }
    return discovery.formerGatewayTopics + monitors.flatMap { discovery.formerTopics(for: $0.address) }
  }

  /// What is said before leaving: nothing is live any more.
  func lastWords(_ monitors: [LiveMonitor], at time: Date) -> [Message] {
    selection.monitors(monitors, at: time).flatMap { [state($0, nil), availability($0, isOnline: false)] } + [
      status(isOnline: false)
    ]
  }

  /// What the broker says if the gateway ends without a word.
  var will: Message { status(isOnline: false) }

  /// Whether the gateway is connected, as it says itself.
  var online: Message { status(isOnline: true) }

  /// All topics of a monitor that may be kept.
  func topics(of monitor: String) -> [String] {
    (discovery.map { [$0.topic(for: monitor)] + $0.formerTopics(for: monitor) } ?? [])
      + [topics.state(monitor), topics.availability(monitor)]
  }

  /// When there is something else to tell, with nothing new: what is live now no longer is, or it begins that
  /// something is told of at all. `nil` if never.
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

  /// The broker forgets a pulse by itself, for a gateway that was killed cannot take it back.
  private func state(_ monitor: LiveMonitor, _ measurement: LiveMonitor.Measurement?) -> Message {
    let payload = try? JSONLine.bytes(StateMessage(monitor, measurement, identity, selection))
    let seconds = UInt32(clamping: max(1, lifetime.components.seconds))
    return Message(
      topic: topics.state(monitor.address), payload: payload ?? [], isRetained: true,
      expiry: measurement?.pulse == nil ? nil : seconds)
  }
}
