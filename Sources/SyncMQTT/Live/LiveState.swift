internal import HealthDataSync

/// What a broker should keep of a gateway and its monitors at a moment: a value, which knows no connection.
struct LiveState: Sendable {
  let topics: LiveTopics
  let discovery: Discovery?
  private let gateway: String
  private let lifetime: Duration

  /// - Parameter lifetime: A pulse of this age is none any more.
  init(_ address: MQTTAddress, _ identity: ExternalIdentity, states: [String], lifetime: Duration) {
    let topics = LiveTopics(address, identity)
    self.topics = topics
    self.lifetime = lifetime
    gateway = identity.gateway
    let seconds = max(1, Int(lifetime.components.seconds))
    discovery = address.discoveryPrefix.map {
      Discovery(prefix: $0, topics, identity, states: states, lifetime: seconds)
    }
  }

  /// All that is to be kept, discovery first, and the status before what depends on it.
  func messages(_ monitors: [LiveMonitor], at now: ContinuousClock.Instant) -> [Message] {
    var messages = [discovery?.gatewayMessage, status(isOnline: true)].compactMap(\.self)
    for monitor in monitors {
      messages += discovery?.messages(for: monitor) ?? []
      messages.append(state(monitor, monitor.current(at: now, lifetime: lifetime)))
      messages.append(availability(monitor, isOnline: monitor.isFollowed))
    }
    return messages
  }

  /// What is said before leaving: nothing is live any more.
  func lastWords(_ monitors: [LiveMonitor]) -> [Message] {
    monitors.flatMap { [state($0, nil), availability($0, isOnline: false)] } + [status(isOnline: false)]
  }

  /// What the broker says if the gateway ends without a word.
  var will: Message { status(isOnline: false) }

  /// All topics of a monitor that may be kept.
  func topics(of monitor: String) -> [String] {
    (discovery?.topics(for: monitor) ?? []) + [topics.state(monitor), topics.availability(monitor)]
  }

  /// When what is live now no longer is, with nothing new; `nil` if nothing is live.
  func nextChange(_ monitors: [LiveMonitor], after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    monitors.compactMap { $0.current(at: now, lifetime: lifetime)?.received.advanced(by: lifetime) }.min()
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
    let payload = try? MessageText.bytes(StateMessage(monitor, measurement, gateway: gateway))
    let seconds = UInt32(clamping: max(1, lifetime.components.seconds))
    return Message(
      topic: topics.state(monitor.address), payload: payload ?? [], isRetained: true,
      expiry: measurement?.pulse == nil ? nil : seconds)
  }
}
