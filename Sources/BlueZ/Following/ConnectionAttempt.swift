import DBus

/// The attempt to connect that keeps an adapter busy.
struct ConnectionAttempt: Hashable {
  let device: ObjectPath
  let adapter: ObjectPath
  /// Our Connect.
  let call: FollowingMachine.CallID
  private(set) var since: BootTime
  /// Somebody else's: it is only waited for.
  private(set) var isForeign = false
  private(set) var isCancelled = false

  init(device: ObjectPath, adapter: ObjectPath, call: FollowingMachine.CallID, since: BootTime) {
    self.device = device
    self.adapter = adapter
    self.call = call
    self.since = since
  }

  mutating func becomeForeign(at now: BootTime) {
    isForeign = true
    since = now
  }

  mutating func resume(at now: BootTime) { since = now }

  mutating func cancel(at now: BootTime) {
    isCancelled = true
    since = now
  }

  /// When it has lasted too long, or its end after it was cancelled.
  func deadline(by policy: FollowingPolicy) -> BootTime {
    since + (isForeign ? policy.foreignAttempt : policy.connectAttempt)
  }
}
