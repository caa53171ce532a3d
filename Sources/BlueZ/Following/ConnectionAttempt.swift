import DBus

/// An attempt to connect. It occupies the adapter.
struct ConnectionAttempt: Hashable {
  let device: ObjectPath
  let adapter: ObjectPath
  /// The ID of our Connect.
  let call: FollowingMachine.CallID
  private(set) var since: BootTime
  /// The attempt is another client's. We wait for its end.
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

  /// When the attempt has lasted too long, or its end after it was canceled.
  func deadline(by policy: FollowingPolicy) -> BootTime {
    since + (isForeign ? policy.foreignAttempt : policy.connectAttempt)
  }
}
