import DBus

/// An attempt to connect. An adapter can make only one at a time.
struct ConnectionAttempt: Hashable {
  let device: ObjectPath
  let adapter: ObjectPath
  /// The ID of this program's call of Connect.
  let call: FollowingMachine.CallID
  private(set) var since: BootTime
  /// Another client is making the attempt, and this program waits for it to end.
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

  /// When the attempt times out or, if it was canceled, when to stop waiting for its end.
  func deadline(by policy: FollowingPolicy) -> BootTime {
    since + (isForeign ? policy.foreignAttempt : policy.connectAttempt)
  }
}
