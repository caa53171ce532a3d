import Bluetooth
import BluetoothCentral

/// Where events leave for the pipeline: bounded, because the radio does not wait for a pipeline that is stuck. What does not fit is let go,
/// and a gap is told in its place as soon as there is room.
struct EventOutlet: Sendable {
  /// Hours of a strap, minutes of a gym.
  static let capacity = 65_536

  private let continuation: AsyncStream<[CentralEvent]>.Continuation
  /// The peripherals that notified something that was let go, and when first.
  private var lost: [PeripheralIdentity: ReceiptTime] = [:]

  init(_ continuation: AsyncStream<[CentralEvent]>.Continuation) { self.continuation = continuation }

  mutating func yield(_ batch: [CentralEvent]) {
    let gaps = lost.map { CentralEvent.gapBegan($0.key, .overflow, $0.value) }
    let whole = gaps + batch
    guard !whole.isEmpty else { return }
    if case .dropped = continuation.yield(whole) { return note(batch) }
    lost.removeAll()
  }

  private mutating func note(_ batch: [CentralEvent]) {
    for case .notified(let notification) in batch where lost[notification.peripheral] == nil {
      lost[notification.peripheral] = notification.receiptTime
    }
  }
}
