import Bluetooth

/// The times of a shared central, for a store whose last run went by a clock that was a little ahead of it.
///
/// Receipt times in a store go back only where it is told that the clock was set. A store that joins a
/// central finds its clock as it is: where the store's own is ahead by no more than a clock may be held back,
/// its times run one part in a hundred slow until they agree, as those of `ReceiptClock` do; where the two
/// differ by more, the clock was set, as far as the store is concerned.
struct SeatTimes {
  /// Microseconds by which the store's times are ahead at `since`, by the central's times.
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

  /// That the clock was set, as far as the store is concerned; once, before all else.
  mutating func takeSetting() -> CentralEvent? { setting.take() }

  /// The event by the store's times.
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
