/// The times by which the gateway follows monitors, each with its reason.
struct FollowingPolicy: Sendable {
  /// A monitor notifies about once a second (Heart Rate Service 1.0, §3.1.1.5); five missing ones are no
  /// jitter of the radio.
  var silence = Duration.seconds(5)
  /// By then a new subscription has shown an effect, if it has any. Each further round waits twice as long: a
  /// monitor that lies in a drawer with its link up need not be reconnected four times a minute.
  var reconnectAfterSilence = Duration.seconds(15)
  var longestSilence = Duration.seconds(300)
  /// A link older than bluetoothd never gets an attribute channel: Connect just answers that it is done. It
  /// has to be closed. A link whose services are merely being read finishes within this time.
  var resolvingFound = Duration.seconds(4)
  /// A link seen so soon after its adapter appeared was there before.
  var settling = Duration.seconds(3)
  /// Discovery of the services takes some 300 ms; a link that does not get there within this is of no use.
  var resolving = Duration.seconds(30)
  /// After bluetoothd restarts, it may report resolved services up to 3 s before their last characteristic. A
  /// missing measurement is reported as an error only after this time.
  var attributesAfterResolved = Duration.seconds(5)
  /// bluetoothd waits 2 s before it closes a link. One that still stands after this is judged anew.
  var closing = Duration.seconds(10)
  /// An attempt to connect to an absent monitor would hold its adapter for 41 s. A present one answers within
  /// its advertising interval, of at most 10.24 s.
  var connectAttempt = Duration.seconds(12)
  /// After so many attempts in a row without a link the user is told what may be the matter.
  var attemptsBeforeHint = 3
  /// Or after so long without a link, whatever attempts there were: who takes the monitor off for a moment is
  /// not told.
  var awayBeforeHint = Duration.seconds(60)
  /// An attempt that somebody else makes is waited for. The kernel gives up after 40 s.
  var foreignAttempt = Duration.seconds(45)
  /// The first attempt after a loss comes at once, the next after these times. They become rare, because the
  /// kernel itself connects to what comes back; an attempt only helps where that fails.
  var firstRetry = Duration.seconds(1)
  var longestRetry = Duration.seconds(300)
  /// The same where the kernel does not: no GattProfile1, or a discovery that another program keeps open.
  var longestRetryAlone = Duration.seconds(60)
  /// An attempt that fails later, without a link, did not reach the monitor: an absent one makes it last. And
  /// a link that ends sooner was of no use.
  var quickFailure = Duration.seconds(8)
  /// After a link that lasted this long, nothing is put off.
  var steadyAfter = Duration.seconds(10)
  /// Failures further apart than this have nothing to do with each other.
  var quickFailuresWithin = Duration.seconds(120)
  /// So many links in a row that end at once are not chance. With a bond, it is put to the test; without one,
  /// the monitor is at fault.
  var quickFailuresInARow = 4
  /// So many Connects in a row whose links stood and could not be encrypted are the bond's fault. One may
  /// have met a bad moment of the radio, of which bluetoothd 5.66 says the same.
  var refusalsOfLostBond = 3
  /// A monitor that closes each link at once is left alone for at most this long: it is there, and may
  /// recover any time.
  var longestRest = Duration.seconds(60)
  /// Discoveries disturb connections and the kernel's own, so they are short and become rare.
  var discoveryWindow = Duration.seconds(8)
  var firstDiscoveryPause = Duration.seconds(4)
  var longestDiscoveryPause = Duration.seconds(300)
  /// What is wrong with the monitor itself is checked again after this.
  var recheck = Duration.seconds(120)
  /// A subscription without an answer may mean that somebody is pairing: it is left alone this long. Together
  /// with the call's own timeout that is the 30 s of the Security Manager (Core Specification, Vol 3, Part H,
  /// §3.4).
  var pairing = Duration.seconds(20)
  /// After so many rounds of silence, what bluetoothd remembers of the attributes is doubted.
  var roundsBeforeRefresh = 2
  /// Where making bluetoothd forget a monitor did not help, it is tried again after this: the adapter or the
  /// monitor may have changed.
  var firstRefresh = Duration.seconds(600)
  var longestRefresh = Duration.seconds(86_400)

  /// What bluetoothd said so long ago shows that it answers now.
  var freshWord = Duration.seconds(2)
  /// A ping that is not answered for so long shows that bluetoothd stood still, and what came in meanwhile
  /// waited. On a busy machine answers took half a second.
  var stoodStill = Duration.seconds(1)

  init() {}
}
