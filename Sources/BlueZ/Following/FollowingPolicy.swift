/// The timeouts, retry delays and limits for following monitors, with their reasons.
struct FollowingPolicy: Sendable {
  /// Silence after which the subscription is repeated. A monitor notifies about once a second (Heart Rate
  /// Service 1.0, §3.1.1.5), so five notifications are missing.
  var silence = Duration.seconds(5)
  /// Silence after which the link is closed, because a repeated subscription should have helped by then. The
  /// time doubles with each silent link, because a connected monitor that is not being worn sends nothing.
  var reconnectAfterSilence = Duration.seconds(15)
  var longestSilence = Duration.seconds(300)
  /// Timeout of service discovery on a link that existed before bluetoothd started. On such a link,
  /// bluetoothd never opens an attribute channel, and Connect merely reports success, so the link has to be
  /// closed. On other links, service discovery takes less time than this.
  var resolvingFound = Duration.seconds(4)
  /// A link that is reported within this time after an adapter appeared is assumed to be older than
  /// bluetoothd.
  var settling = Duration.seconds(3)
  /// Timeout of service discovery, which usually takes 300 ms.
  var resolving = Duration.seconds(30)
  /// Time after resolved services are reported before a missing measurement characteristic is reported. After
  /// a restart, bluetoothd may add the last characteristic up to 3 s late.
  var attributesAfterResolved = Duration.seconds(5)
  /// Timeout of a Disconnect. bluetoothd waits 2 s before it closes a link. A link that still exists after
  /// the timeout is used again.
  var closing = Duration.seconds(10)
  /// Timeout of Connect. A monitor in range answers within its advertising interval of at most 10.24 s.
  /// Without this timeout, an absent monitor would keep the adapter busy for 41 s.
  var connectAttempt = Duration.seconds(12)
  /// Consecutive failed attempts after which the user is shown possible causes.
  var attemptsBeforeHint = 3
  /// Time without a link after which the user is shown possible causes, regardless of the number of attempts.
  /// It is long enough to take the monitor off for a moment.
  var awayBeforeHint = Duration.seconds(60)
  /// How long to wait for another client's attempt to connect. The kernel gives up after 40 s.
  var foreignAttempt = Duration.seconds(45)
  /// Retry delays between Connect calls: 1, 2, 4 … 300 s, each shortened by up to half at random
  /// (``BackOff``). After a link that worked, the first call is made at once. The delays grow, because the
  /// kernel also connects when the monitor advertises.
  var firstRetry = Duration.seconds(1)
  var longestRetry = Duration.seconds(300)
  /// The maximum delay if the kernel does not connect: the GATT profile is not registered, or another program
  /// keeps a discovery open.
  var longestRetryAlone = Duration.seconds(60)
  /// A link that ends within this time counts as a quick failure. If Connect fails after a longer time
  /// without a link, the monitor is out of range.
  var quickFailure = Duration.seconds(8)
  /// Duration of a link after which the delays between connection attempts are reset to the shortest values.
  var steadyAfter = Duration.seconds(10)
  /// Quick failures (links that end within ``quickFailure``) that are further apart than this are not counted
  /// together.
  var quickFailuresWithin = Duration.seconds(120)
  /// Number of consecutive quick failures that are unlikely to be a coincidence. The next Connect then tests
  /// the bond. If there is no bond, the problem is reported to the user.
  var quickFailuresInARow = 4
  /// Number of consecutive Connect calls that made a link but failed to encrypt it, after which the bond
  /// counts as lost. A weak signal may cause a single one, for which bluetoothd 5.66 reports the same error.
  var refusalsOfLostBond = 3
  /// Longest pause before connecting again to a monitor that closes each link at once.
  var longestRest = Duration.seconds(60)
  /// Length of a discovery. Discoveries disturb connections and the kernel's auto-connect, so they are short,
  /// and the pauses between them grow.
  var discoveryWindow = Duration.seconds(8)
  var firstDiscoveryPause = Duration.seconds(4)
  var longestDiscoveryPause = Duration.seconds(300)
  /// How often to check whether a problem of the monitor itself, such as a lost bond, persists.
  var recheck = Duration.seconds(120)
  /// How long to keep a link on which StartNotify was not answered, because the user may be pairing. Together
  /// with the timeout of the call, this is the 30 s of the Security Manager (Core Specification, Vol 3, Part
  /// H, §3.4).
  var pairing = Duration.seconds(20)
  /// Consecutive links without a measurement after which bluetoothd's cached attributes are assumed to be
  /// wrong.
  var roundsBeforeRefresh = 2
  /// Delay before bluetoothd's cached attributes are removed again, if the first removal did not help.
  var firstRefresh = Duration.seconds(600)
  var longestRefresh = Duration.seconds(86_400)

  /// Maximum age of bluetoothd's last message for it to count as responsive.
  var freshWord = Duration.seconds(2)
  /// If the reply to a ping takes at least this long, bluetoothd is assumed to have been stopped, and
  /// measurements that arrive right after the reply are treated as queued. A busy machine replies within half
  /// a second.
  var stoodStill = Duration.seconds(1)

  init() {}
}
