import Bluetooth

/// Where in the queue of the monitor channel something is missing.
///
/// The kernel drops what comes while the queue is full, and only counts it. Room is made by a read; so what
/// came after a loss that is counted after a read came no earlier than that read.
struct LossWatch {
  private var drops: UInt32 = 0
  /// What came from each of these times on may be behind a loss.
  private var behind: [ReceiptTime] = []

  /// A message was read, or there was none.
  ///
  /// - Parameters:
  ///   - drops: The kernel's count after that.
  ///   - time: Wall time before that.
  mutating func note(drops: UInt32, readAt time: ReceiptTime) {
    if drops != self.drops { behind.append(time) }
    self.drops = drops
  }

  /// - Parameter time: When the kernel got the next message; `nil` where there is none, so that all that is
  ///   missing is before whatever comes.
  /// - Returns: Whether something may be missing before it that was not told yet.
  mutating func isLoss(before time: ReceiptTime?) -> Bool {
    let count = behind.count
    behind.removeAll { loss in time.map { loss <= $0 } ?? true }
    return behind.count < count
  }
}
