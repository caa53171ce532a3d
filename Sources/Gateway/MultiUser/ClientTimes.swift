import Bluetooth

/// Adjusts the receipt times of a shared central for a store that already has slightly later times.
///
/// In a store, receipt times may go backward only after a change of the wall clock. If the store's times are
/// ahead of the central's by at most `ReceiptClock.leastSetting`, its new times run one percent slow until
/// both agree, as in `ReceiptClock`. For a larger difference, a clock change is stored.
struct ClientTimes {
  /// The number of microseconds by which the store's times are ahead, at the time `since` of the central's
  /// clock.
  private var ahead: Int64 = 0
  private var since: ReceiptTime?
  private var setting: CentralEvent?

  /// - Parameters:
  ///   - own: The clock with which the store's gateway would start.
  ///   - shared: The clock with which the central started.
  init(of own: ReceiptClock, by shared: inout ReceiptClock?, at now: SystemClocks) {
    guard var clock = shared else { return }
    let reading = clock.receiptTime(
      boottimeNanoseconds: now.boottimeNanoseconds, wallNow: now.wall, boottimeNow: now.boottimeNanoseconds)
    shared = clock
    let difference = own.origin.microseconds(since: clock.origin)
    if abs(difference) > ReceiptClock.leastSetting {
      setting = .clockSet(clock.setting, reading.time)
    } else if difference > 0 {
      ahead = difference
    }
  }

  /// Returns the clock change to store on the first call; `nil` afterwards. It must precede all other events.
  mutating func takeSetting() -> CentralEvent? { setting.take() }

  /// Returns `event` with its time adjusted for the store.
  mutating func timed(_ event: CentralEvent) -> CentralEvent {
    if case .clockSet = event { ahead = 0 }
    guard ahead > 0 else { return event }
    switch event {
    case .connected(let peripheral, let time): return .connected(peripheral, self.time(time))
    case .disconnected(let peripheral, let time): return .disconnected(peripheral, self.time(time))
    case .gapBegan(let peripheral, let cause, let time): return .gapBegan(peripheral, cause, self.time(time))
    case .interrupted(let time): return .interrupted(self.time(time))
    case .notified(var notification):
      notification.receiptTime = self.time(notification.receiptTime)
      return .notified(notification)
    case .named, .valueRead, .described, .released, .repeated, .clockSet: return event
    }
  }

  private mutating func time(_ time: ReceiptTime) -> ReceiptTime {
    let since = since ?? time
    self.since = since
    let left = max(0, ahead - max(0, time.microseconds(since: since)) / 100)
    return ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 + left)
  }
}
