public import Bluetooth

/// The events of one strap with their times, for a program that delivers them in real time.
///
/// ```swift
/// var events = StrapEvents(StrapProfile.sample(index: 0), seed: 1)
/// while let event = events.next() {
///   print(event.offset, event.link)
/// }
/// ```
public struct StrapEvents: Sequence, IteratorProtocol, Sendable {
  /// The state of the connection after an event.
  public enum Link: Hashable, Sendable {
    case advertising
    /// The host is reading attributes.
    case connected
    /// The strap is sending measurements.
    case subscribed
  }

  /// An event of the strap.
  public struct Event: Sendable {
    /// Seconds since the strap was switched on.
    public let offset: Double
    public let link: Link

    let strap: StrapProfile
    let event: StrapEvent

    /// Returns the events that a central reports, if it receives this event at `time`.
    public func centralEvents(at time: ReceiptTime) -> [CentralEvent] {
      event.centralEvents(of: strap, at: time)
    }
  }

  private let strap: StrapProfile
  private var timeline: StrapTimeline

  /// Creates the events of a strap that is never switched off.
  /// - Parameter seed: The seed of all random numbers.
  public init(_ strap: StrapProfile, seed: UInt64) {
    self.strap = strap
    timeline = StrapTimeline(strap, seed: seed, duration: .infinity)
  }

  public mutating func next() -> Event? {
    guard let (time, event) = timeline.next() else { return nil }
    let link: Link =
      switch event {
      case .advertised, .disconnected: .advertising
      case .connected, .requested, .responded: .connected
      case .measured: .subscribed
      }
    return Event(offset: time, link: link, strap: strap, event: event)
  }
}
