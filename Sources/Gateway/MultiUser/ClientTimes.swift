import Bluetooth

/// Adjusts the times of a shared central for a store whose own clock is a little ahead.
///
/// Receipt times in a store may go back only after a clock change. A store that joins a running central
/// uses the central's clock. If the store's clock is ahead by at most `ReceiptClock.leastSetting`, its
/// times run one percent slow until they agree, as those of `ReceiptClock` do. If the difference is larger,
/// the store records a clock change.
struct ClientTimes {
  /// Microseconds by which the store's times are ahead at `since`, in the central's time.
  private var ahead: Int64 = 0
  private var since: ReceiptTime?
  private var setting: CentralEvent?

  /// - Parameters:
  ///   - own: The clock that the store's run begins with.
  ///   - shared: The central's clock, as it began.
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

  /// Returns the clock change for this store, once. It must come before all other events.
  mutating func takeSetting() -> CentralEvent? { setting.take() }

  /// Returns an event with the times adjusted for the store.
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
