import Bluetooth
import BluetoothCentral

/// Where events leave for the pipeline: bounded, because the radio does not wait for a pipeline that is
/// stuck. What does not fit is dropped, and a gap is told in its place as soon as there is room.
struct EventOutlet: Sendable {
  /// Hours for one monitor, minutes for a gym full of them.
  static let capacity = 65_536

  /// What was dropped of one peripheral's events.
  private struct Loss {
    /// When the first of them was.
    var since: ReceiptTime
    /// The latest of them that says whether there is a link: the pipeline has to know.
    var link: CentralEvent?
  }

  private let buffer: EventBuffer
  private let gathers: Bool
  private var lost: [PeripheralIdentity: Loss] = [:]
  /// The latest setting of the clock that did not fit: all times behind it are told by it.
  private var lostSetting: CentralEvent?

  /// - Parameter gathers: Events wait for each other until ``release()``.
  init(_ buffer: EventBuffer, gathers: Bool) {
    self.buffer = buffer
    self.gathers = gathers
  }

  /// - Returns: Whether something was put in that waits for ``release()``.
  mutating func yield(_ batch: [CentralEvent]) -> Bool {
    guard !batch.isEmpty || !lost.isEmpty || lostSetting != nil else { return false }
    var instead = lost.flatMap { peripheral, loss in
      [CentralEvent.gapBegan(peripheral, .overflow, loss.since)] + [loss.link].compactMap(\.self)
    }
    if let lostSetting { instead.append(lostSetting) }
    guard buffer.append(instead.isEmpty ? batch : instead + batch, isDue: !gathers) else {
      note(batch)
      return false
    }
    lost.removeAll()
    lostSetting = nil
    return gathers
  }

  /// What waits is handed over.
  func release() { buffer.release() }

  private mutating func note(_ batch: [CentralEvent]) {
    for event in batch {
      switch event {
      case .notified(let notification): note(notification.peripheral, notification.receiptTime)
      case .gapBegan(let peripheral, _, let time): note(peripheral, time)
      case .connected(let peripheral, let time), .disconnected(let peripheral, let time):
        note(peripheral, time)
        lost[peripheral]?.link = event
      case .clockSet: lostSetting = event
      case .named, .valueRead, .described, .repeated, .interrupted: break
      }
    }
  }

  private mutating func note(_ peripheral: PeripheralIdentity, _ time: ReceiptTime) {
    if lost[peripheral] == nil { lost[peripheral] = Loss(since: time) }
  }
}
