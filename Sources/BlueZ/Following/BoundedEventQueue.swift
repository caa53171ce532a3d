package import Bluetooth

/// A bounded queue of events between the radio and the pipeline. When it is full because the pipeline does
/// not read, events are dropped, and a gap is emitted as soon as there is room again.
package struct BoundedEventQueue: Sendable {
  /// Maximum number of pending events: hours of events of one monitor, or minutes of many monitors.
  package static let capacity = 65_536

  /// Information about the dropped events of one peripheral.
  private struct Loss {
    /// The time of the first dropped event.
    var since: ReceiptTime
    /// The latest dropped event about a connection or disconnection. It is emitted later, because the
    /// pipeline needs this state.
    var link: CentralEvent?
    /// The number of dropped `released` events. They are emitted later, because a caller waits for each of
    /// them.
    var releases = 0

    func events(of peripheral: PeripheralIdentity) -> [CentralEvent] {
      let gap = CentralEvent.gapBegan(peripheral, .overflow, since)
      guard releases > 0 else { return [gap] + [link].compactMap(\.self) }
      return [gap, .disconnected(peripheral, since)]
        + Array(repeating: .released(peripheral), count: releases) + [gap] + [link].compactMap(\.self)
    }
  }

  private let buffer: EventBuffer
  private let gathers: Bool
  private var lost: [PeripheralIdentity: Loss] = [:]
  /// The latest dropped change of the wall clock. It is emitted later, because the times of later events are
  /// based on it.
  private var lostSetting: CentralEvent?
  /// Dropped `released` events of peripherals without other dropped events. They are emitted later.
  private var lostReleases: [CentralEvent] = []

  /// - Parameter gathers: Whether events are held until ``release()``.
  package init(_ buffer: EventBuffer, gathers: Bool) {
    self.buffer = buffer
    self.gathers = gathers
  }

  /// - Returns: Whether events were added that are held until ``release()``.
  package mutating func yield(_ batch: [CentralEvent]) -> Bool {
    guard !batch.isEmpty || hasLost else { return false }
    var instead = lostReleases + lost.flatMap { $1.events(of: $0) }
    if let lostSetting { instead.append(lostSetting) }
    guard buffer.append(instead.isEmpty ? batch : instead + batch, isDue: !gathers) else {
      note(batch)
      return false
    }
    lost.removeAll()
    lostReleases.removeAll()
    lostSetting = nil
    return gathers
  }

  private var hasLost: Bool { !lost.isEmpty || !lostReleases.isEmpty || lostSetting != nil }

  /// Delivers the events that are held to be delivered together.
  package func release() { buffer.release() }

  private mutating func note(_ batch: [CentralEvent]) {
    for event in batch {
      switch event {
      case .notified(let notification): note(notification.peripheral, notification.receiptTime)
      case .gapBegan(let peripheral, _, let time): note(peripheral, time)
      case .connected(let peripheral, let time), .disconnected(let peripheral, let time):
        note(peripheral, time)
        lost[peripheral]?.link = event
      case .released(let peripheral): recordRelease(of: peripheral)
      case .clockSet: lostSetting = event
      case .named, .valueRead, .described, .repeated, .interrupted: break
      }
    }
  }

  /// Records a dropped `released` event. The monitor is no longer followed, so dropped events about its
  /// connection are forgotten.
  private mutating func recordRelease(of peripheral: PeripheralIdentity) {
    guard var loss = lost[peripheral] else { return lostReleases.append(.released(peripheral)) }
    loss.releases += 1
    loss.link = nil
    lost[peripheral] = loss
  }

  private mutating func note(_ peripheral: PeripheralIdentity, _ time: ReceiptTime) {
    if lost[peripheral] == nil { lost[peripheral] = Loss(since: time) }
  }
}
