/// The timeouts and limits for following monitors, with their reasons.
struct FollowingPolicy: Sendable {
  /// Silence after which the subscription is repeated. A monitor notifies about once a second (Heart Rate
  /// Service 1.0, §3.1.1.5); five missing notifications are more than radio jitter.
  var silence = Duration.seconds(5)
  /// Silence after which the link is closed: by then a new subscription would have had an effect. Doubles
  /// each time, because a monitor in a drawer that keeps its link does not have to be reconnected four times
  /// a minute.
  var reconnectAfterSilence = Duration.seconds(15)
  var longestSilence = Duration.seconds(300)
  /// Timeout of resolving the services of a link that existed before bluetoothd. Such a link never gets an
  /// attribute channel, and Connect only reports success, so it has to be closed. Resolving takes less time
  /// than this.
  var resolvingFound = Duration.seconds(4)
  /// A link that is seen within this time after its adapter appeared existed before.
  var settling = Duration.seconds(3)
  /// Timeout of resolving the services, which usually takes 300 ms. A link that needs longer is of no use.
  var resolving = Duration.seconds(30)
  /// After bluetoothd restarts, it may report resolved services up to 3 s before their last characteristic. A
  /// missing measurement is reported as an error only after this time.
  var attributesAfterResolved = Duration.seconds(5)
  /// Timeout of a Disconnect. bluetoothd waits 2 s before it closes a link. A link that still exists after
  /// this is used again.
  var closing = Duration.seconds(10)
  /// Timeout of Connect. An attempt to connect to an absent monitor would occupy the adapter for 41 s. A
  /// present monitor answers within its advertising interval of at most 10.24 s.
  var connectAttempt = Duration.seconds(12)
  /// Consecutive failed attempts after which the user gets a hint at the cause.
  var attemptsBeforeHint = 3
  /// Time without a link after which the user gets the hint, whatever the number of attempts. Taking the
  /// monitor off for a moment gives no hint.
  var awayBeforeHint = Duration.seconds(60)
  /// Timeout of another client's attempt to connect. The kernel gives up after 40 s.
  var foreignAttempt = Duration.seconds(45)
  /// Delays between attempts. The first attempt after a loss starts at once. They become rare, because the
  /// kernel connects to returning monitors; an attempt helps only if that fails.
  var firstRetry = Duration.seconds(1)
  var longestRetry = Duration.seconds(300)
  /// The maximum delay if the kernel does not connect: no GattProfile1, or another program keeps a discovery
  /// open.
  var longestRetryAlone = Duration.seconds(60)
  /// A link that ends sooner was of no use. An attempt that fails later than this without a link did not
  /// reach the monitor: with an absent monitor, attempts last long.
  var quickFailure = Duration.seconds(8)
  /// After a link that lasted this long, the retry delays are reset.
  var steadyAfter = Duration.seconds(10)
  /// Failures that are further apart than this are not counted together.
  var quickFailuresWithin = Duration.seconds(120)
  /// Consecutive links that ended at once from which it is no coincidence. Then Connect tests the bond;
  /// without a bond, the monitor is reported.
  var quickFailuresInARow = 4
  /// Consecutive Connects with a link that was not encrypted, after which the bond counts as lost. A single
  /// one may be caused by bad reception, for which bluetoothd 5.66 reports the same.
  var refusalsOfLostBond = 3
  /// Longest pause for a monitor that closes each link at once: it is present, and may recover any time.
  var longestRest = Duration.seconds(60)
  /// Length of a discovery. Discoveries disturb connections and the kernel's auto-connect, so they are short
  /// and become rare.
  var discoveryWindow = Duration.seconds(8)
  var firstDiscoveryPause = Duration.seconds(4)
  var longestDiscoveryPause = Duration.seconds(300)
  /// Interval of checking again whether a problem of the monitor itself persists.
  var recheck = Duration.seconds(120)
  /// How long a link is kept after a subscription without an answer, because the user may be pairing. With
  /// the timeout of the call this is the 30 s of the Security Manager (Core Specification, Vol 3, Part H,
  /// §3.4).
  var pairing = Duration.seconds(20)
  /// Consecutive silent links after which the cached attributes are assumed to be wrong.
  var roundsBeforeRefresh = 2
  /// Interval of removing the cached attributes again if it did not help: the adapter or the monitor may have
  /// changed.
  var firstRefresh = Duration.seconds(600)
  var longestRefresh = Duration.seconds(86_400)

  /// A message of bluetoothd that is not older than this shows that it answers.
  var freshWord = Duration.seconds(2)
  /// A ping that takes this long shows that bluetoothd was stopped, and that values were queued meanwhile. On
  /// a busy machine replies take half a second.
  var stoodStill = Duration.seconds(1)

  init() {}
}
