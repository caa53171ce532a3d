/// The times by which the gateway follows monitors, each with its reason.
struct FollowingPolicy: Sendable {
  /// A strap notifies about once a second (Heart Rate Service 1.0, §3.1.1.5); five missing ones are no jitter of the radio.
  var silence = Duration.seconds(5)
  /// A new subscription has had the time to show an effect. Each further round in vain waits twice as long: a strap that lies in a drawer with
  /// its link up need not be connected anew four times a minute.
  var reconnectAfterSilence = Duration.seconds(15)
  var longestSilence = Duration.seconds(300)
  /// A link that stood before bluetoothd did has no attribute channel, and gets none: a Connect is answered as done. It has to be
  /// closed. One whose services are only being read is through with it in this time.
  var resolvingFound = Duration.seconds(4)
  /// What stands so soon after the adapter came did stand before.
  var settling = Duration.seconds(3)
  /// Discovery of the services takes some 300 ms; a link that does not get there within this is of no use.
  var resolving = Duration.seconds(30)
  /// bluetoothd waits 2 s before it closes a link. One that still stands after this is judged anew.
  var closing = Duration.seconds(10)
  /// An attempt to connect to an absent monitor would hold its adapter for 41 s. A present one answers within its advertising interval, of at
  /// most 10.24 s.
  var connectAttempt = Duration.seconds(12)
  /// An attempt that somebody else makes is waited for. The kernel gives up after 40 s.
  var foreignAttempt = Duration.seconds(45)
  /// The first attempt after a loss comes at once, the next after these times. They become rare: what comes back is connected to by the
  /// kernel itself, and an attempt is a help for where that fails.
  var firstRetry = Duration.seconds(1)
  var longestRetry = Duration.seconds(300)
  /// The same where the kernel does not: no GattProfile1, or a discovery that another program keeps open.
  var longestRetryAlone = Duration.seconds(60)
  /// An attempt that fails in less than this did reach the monitor: one that is away makes the attempt last.
  var quickFailure = Duration.seconds(8)
  /// A link that lasted so long was a good one: after it nothing is put off.
  var steadyAfter = Duration.seconds(10)
  /// Failures further apart than this have nothing to do with each other.
  var quickFailuresWithin = Duration.seconds(120)
  /// So many quick failures in a row are no chance. With a bond they are the bond's fault; without one, the monitor's.
  var quickFailuresInARow = 4
  /// A monitor that closes each link at once is left alone for so long at the most: it is there, and may be well any time.
  var longestRest = Duration.seconds(60)
  /// Discoveries disturb connections and the kernel's own, so they are short and become rare.
  var discoveryWindow = Duration.seconds(8)
  var firstDiscoveryPause = Duration.seconds(4)
  var longestDiscoveryPause = Duration.seconds(300)
  /// What is wrong with the monitor itself is looked at again after this.
  var recheck = Duration.seconds(120)
  /// How long a pairing that somebody else may see to is left alone, when a subscription got no answer. With the time that the
  /// answer had it is what the Security Manager allows: 30 s (Core Specification, Vol 3, Part H, §3.4).
  var pairing = Duration.seconds(20)
  /// Rounds of silence after which the memory of the attributes is doubted.
  var roundsBeforeRefresh = 2
  /// Making bluetoothd forget a monitor did not help; it may after this, by another adapter or after another change.
  var firstRefresh = Duration.seconds(600)
  var longestRefresh = Duration.seconds(86_400)

  init() {}
}
