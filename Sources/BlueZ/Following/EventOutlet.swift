package import Bluetooth

/// Where events leave for the pipeline: bounded, because the radio does not wait for a pipeline that is
/// stuck. What does not fit is dropped, and a gap is told in its place as soon as there is room.
package struct EventOutlet: Sendable {
  /// Hours for one monitor, minutes for a gym full of them.
  package static let capacity = 65_536

  /// What was dropped of one peripheral's events.
  private struct Loss {
    /// When the first of them was.
    var since: ReceiptTime
    /// The latest of them that says whether there is a link: the pipeline has to know.
    var link: CentralEvent?
    /// So often the peripheral was let go in between: whoever asked for it is told.
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
  /// The latest setting of the clock that did not fit: all times behind it are told by it.
  private var lostSetting: CentralEvent?
  /// Of peripherals of which nothing else was dropped before.
  private var lostReleases: [CentralEvent] = []

  /// - Parameter gathers: Events wait for each other until ``release()``.
  package init(_ buffer: EventBuffer, gathers: Bool) {
    self.buffer = buffer
    self.gathers = gathers
  }

  /// - Returns: Whether something was put in that waits for ``release()``.
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

  /// What waits is handed over.
  package func release() { buffer.release() }

  private mutating func note(_ batch: [CentralEvent]) {
    for event in batch {
      switch event {
      case .notified(let notification): note(notification.peripheral, notification.receiptTime)
      case .gapBegan(let peripheral, _, let time): note(peripheral, time)
      case .connected(let peripheral, let time), .disconnected(let peripheral, let time):
        note(peripheral, time)
        lost[peripheral]?.link = event
      case .released(let peripheral): noteRelease(of: peripheral)
      case .clockSet: lostSetting = event
      case .named, .valueRead, .described, .repeated, .interrupted: break
      }
    }
  }

  /// A peripheral of which nothing else was lost has no link, and no time.
  private mutating func noteRelease(of peripheral: PeripheralIdentity) {
    guard var loss = lost[peripheral] else { return lostReleases.append(.released(peripheral)) }
    loss.releases += 1
    loss.link = nil
    lost[peripheral] = loss
  }

  private mutating func note(_ peripheral: PeripheralIdentity, _ time: ReceiptTime) {
    if lost[peripheral] == nil { lost[peripheral] = Loss(since: time) }
  }
}
