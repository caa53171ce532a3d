import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Tests links that end as soon as they begin.
@Suite struct ShortLinkTests {
  @Test func `a bond that the strap has lost is recognized by failures that come too soon`() {
    var world = FollowingTests.followed(isBonded: true)
    let lost = world.now
    world.daemon.update(1) { $0.hasLostBond = true }
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .bondLost } != nil)
    world.run(.seconds(600))
    #expect(!world.wasIn(.away, since: lost + .seconds(200)))
    world.daemon.update(1) { $0.hasLostBond = false }
    #expect(world.run(atMost: .seconds(150)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `a bond that encrypts links is not lost, however soon they end`() {
    var world = FollowingTests.followed(isBonded: true)
    let begun = world.now
    world.daemon.update(1) { $0.closesAfter = 10...40 }
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(1200))
    #expect(!world.wasIn(.bondLost))
    #expect(world.states.allSatisfy { $0.status.isBonded != false })
    #expect(world.links(since: begun) < 200, "\(world.links(since: begun)) links in 20 min")
    world.daemon.update(1) { $0.closesAfter = nil }
    #expect(world.run(atMost: .seconds(80)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.isBonded == true)
    FollowingTests.check(world)
  }

  /// Some versions of bluetoothd forget a subscription if the link drops while they enable its notifications
  /// again.
  @Test func `a subscription that bluetoothd forgot is renewed as soon as the services are resolved`() {
    var world = FollowingTests.followed()
    world.daemon.forgetsSubscriptions = true
    for _ in 0..<12 {
      world.daemon.update(1) { $0.closesAfter = 100...1000 }
      world.daemon.dropLinks(of: 1)
      world.run(.seconds(4))
      world.daemon.update(1) { $0.closesAfter = nil }
      #expect(world.run(atMost: .seconds(120)) { $0.state() == .following } != nil)
    }
    // The forgotten subscription is renewed at once. Otherwise it would be noticed only after five seconds of
    // silence.
    #expect(!world.wasIn(.silent))
    FollowingTests.check(world)
  }

  @Test func `without a link the bond is not judged`() {
    var world = FollowingTests.followed(isBonded: true)
    world.daemon.update(1) { $0.takesNoLink = true }
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(1200))
    #expect(!world.wasIn(.bondLost))
    world.daemon.update(1) { $0.takesNoLink = false }
    #expect(world.run(atMost: .seconds(300)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `refusals with absence in between are not counted together`() {
    var world = FollowingTests.followed(isBonded: true)
    for _ in 0..<5 { Self.refuseOnce(&world, until: \.cancelledConnects) { $0.isAway = $1 } }
    #expect(!world.wasIn(.bondLost))
  }

  @Test func `refusals that are far apart are not counted together`() {
    var world = FollowingTests.followed(isBonded: true)
    for _ in 0..<5 {
      Self.refuseOnce(&world) { _, _ in }
      world.daemon.power(0, false)
      world.run(.seconds(150))
      world.daemon.power(0, true)
    }
    #expect(!world.wasIn(.bondLost))
  }

  /// Makes the strap refuse its bond once. If `count` is given, then applies `change` until that counter of
  /// connection attempts increases, and reverts it.
  private static func refuseOnce(
    _ world: inout FollowingWorld, until count: KeyPath<FakeDaemon, Int>? = nil,
    then change: (inout FakeStrap, Bool) -> Void
  ) {
    let refused = world.daemon.refusedConnects
    world.daemon.update(1) { $0.hasLostBond = true }
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(600)) { $0.daemon.refusedConnects > refused } != nil)
    guard let count else { return }
    let before = world.daemon[keyPath: count]
    world.daemon.update(1) { change(&$0, true) }
    #expect(world.run(atMost: .seconds(900)) { $0.daemon[keyPath: count] > before } != nil)
    world.run(.seconds(1))
    world.daemon.update(1) { change(&$0, false) }
  }

  @Test func `links that ended at the edge of the range do not leave a strap in pairing-needed`() {
    var world = FollowingTests.begun { $0.update(1) { $0.refusesPairing = true } }
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .pairingNeeded } != nil)
    world.daemon.update(1) { $0.isAway = true }
    let left = world.now
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .away } != nil)
    #expect(world.states.last?.status.detail?.contains("hrgate pair F0:0D:BE:A7:01:01") == true)
    world.run(.seconds(600))
    #expect(!world.wasIn(.pairingNeeded, since: left + .seconds(1)))
    world.daemon.update(1) {
      $0.isAway = false
      $0.refusesPairing = false
    }
    #expect(world.run(atMost: .seconds(300)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `a lost bond that works again is reported`() {
    var world = FollowingTests.followed(isBonded: true)
    world.daemon.update(1) { $0.hasLostBond = true }
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .bondLost } != nil)
    #expect(world.states.last?.status.isBonded == false)
    world.daemon.update(1) { $0.hasLostBond = false }
    #expect(world.run(atMost: .seconds(150)) { $0.state() == .following } != nil)
    #expect(world.states.last?.status.isBonded == true)
    FollowingTests.check(world)
  }

  @Test
  func `a strap that requires a bond and refuses to pair is reported, with growing pauses`() {
    var world = FollowingTests.begun { $0.update(1) { $0.refusesPairing = true } }
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .pairingNeeded } != nil)
    let start = world.now
    world.run(.seconds(1200))
    #expect(world.state() == .pairingNeeded)
    let attempts = world.calls.count { $0.call.message.member == "StartNotify" && $0.time >= start }
    #expect(attempts < 200, "\(attempts) subscriptions in 20 min")
    world.daemon.update(1) { $0.refusesPairing = false }
    #expect(world.run(atMost: .seconds(80)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `a strap that closes each link at once is contacted with growing pauses`() {
    var world = FollowingTests.followed()
    let begun = world.now
    world.daemon.update(1) { $0.closesAfter = 10...40 }
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(20))
    let first = world.links(since: begun)
    #expect((8...40).contains(first), "\(first) links in 20 s")
    world.run(.seconds(1200))
    let later = world.now
    world.run(.seconds(1200))
    #expect((60...160).contains(world.links(since: later)), "\(world.links(since: later)) links in 20 min")
    world.daemon.update(1) { $0.closesAfter = nil }
    #expect(world.run(atMost: .seconds(80)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `a strap that returns with a weak signal after a long absence first gets a short pause`() {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.isAway = true }
    world.run(.seconds(3600))
    world.daemon.update(1) {
      $0.isAway = false
      $0.closesAfter = 10...40
    }
    let back = world.now
    #expect(world.run(atMost: .seconds(60)) { $0.links(since: back) >= 6 } != nil)
    world.daemon.update(1) { $0.closesAfter = nil }
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `a reported problem of a strap stays reported when its links also end at once`() {
    var world = FollowingTests.begun { $0.update(1) { $0.wantsPairing = true } }
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .pairingNeeded } != nil)
    world.daemon.update(1) { $0.closesAfter = 3000...4000 }
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(300))
    #expect(world.state() == .pairingNeeded)
    FollowingTests.check(world)
  }

  @Test func `a bond that seemed lost is tested every two minutes, also while the strap is away`() {
    var world = FollowingTests.followed(isBonded: true)
    world.daemon.update(1) { $0.hasLostBond = true }
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .bondLost } != nil)
    world.daemon.update(1) { $0.isAway = true }
    world.run(.seconds(7200))
    let connects = world.calls.filter { $0.call.message.member == "Connect" }.map(\.time)
    #expect(zip(connects, connects.dropFirst()).allSatisfy { $1 - $0 < .seconds(150) })
    world.daemon.update(1) {
      $0.isAway = false
      $0.hasLostBond = false
    }
    #expect(world.run(atMost: .seconds(140)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  @Test func `if the kernel does not connect, attempts continue once a minute`() {
    var world = FollowingTests.begun {
      $0.refusesRegistration = true
      $0.update(1) { $0.isAway = true }
    }
    world.run(.seconds(3600))
    world.daemon.update(1) { $0.isAway = false }
    #expect(world.run(atMost: .seconds(80)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }

  // MARK: - Links that end at the same age

  @Test(arguments: [30, 150])
  func `a strap that leaves at the same age each time is reported as timing-refused`(seconds: Int) {
    var world = FollowingTests.followed()
    let begun = world.now
    world.daemon.update(1) { $0.closesAfter = (seconds * 1000 - 500)...(seconds * 1000 + 500) }
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(seconds * 4)) { $0.state() == .timingRefused } != nil)
    #expect(world.now - begun > .seconds(seconds * 3 - 3))
    let reported = world.states.last?.status
    #expect(reported?.detail == "3 consecutive links ended after \(seconds) s")
    #expect(reported?.advice?.contains("MaxConnectionInterval") == true)
    // The strap is followed until each link ends, and `timingRefused` is reported again at each end.
    world.run(.seconds(seconds * 4))
    #expect(world.states.count { $0.status.state == .timingRefused } >= 3)
    #expect(world.wasIn(.following, since: begun + .seconds(seconds * 3)))
    #expect(!world.wasIn(.away, since: begun + .seconds(seconds * 3 + 10)))
    world.daemon.update(1) { $0.closesAfter = nil }
    #expect(world.run(atMost: .seconds(seconds * 2)) { $0.state() == .following } != nil)
    let mended = world.now
    world.run(.seconds(600))
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(60))
    #expect(!world.wasIn(.timingRefused, since: mended + .seconds(seconds)))
    FollowingTests.check(world)
  }

  @Test func `links that end at other ages, or by our own request, show no rejected timing`() {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.closesAfter = 44_500...45_500 }
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(600))
    world.daemon.update(1) { $0.closesAfter = nil }
    for _ in 0..<5 {
      _ = world.run(atMost: .seconds(60)) { $0.state() == .following }
      world.run(.seconds(29))
      world.daemon.power(0, false)
      world.run(.seconds(1))
      world.daemon.power(0, true)
    }
    #expect(!world.wasIn(.timingRefused))
    FollowingTests.check(world)
  }

  @Test func `a strap with rejected timing that is away is reported as away`() {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.closesAfter = 29_500...30_500 }
    world.daemon.dropLinks(of: 1)
    #expect(world.run(atMost: .seconds(150)) { $0.state() == .timingRefused } != nil)
    world.daemon.update(1) { $0.isAway = true }
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .away } != nil)
    FollowingTests.check(world)
  }

  // MARK: - Long absence

  @Test func `after a minute away a phone or a watch is suggested, however few attempts there were`() {
    // Use eight straps, so that the attempts to connect take so long that no strap has three of them in two
    // minutes.
    let straps = 1...8
    var world = FollowingWorld(straps: straps.count)
    for number in straps { world.daemon.know(number) }
    world.follow(Array(straps))
    world.openBus()
    let everybody = { (world: FollowingWorld) in straps.allSatisfy { world.state($0) == .following } }
    #expect(world.run(atMost: .seconds(60), until: everybody) != nil)
    for number in straps {
      world.daemon.update(number) { $0.isAway = true }
      world.daemon.dropLinks(of: number)
    }
    let lost = world.now
    world.run(.seconds(90))
    let hints = world.states.filter { $0.status.detail?.contains("a phone or a watch") == true }
    // Keep the first hint ("a phone or a watch") of each strap. The hint is reported again after each further
    // attempt.
    let first = Dictionary(hints.map { ($0.status.monitor, $0.time - lost) }, uniquingKeysWith: min)
    #expect(first.count == straps.count)
    #expect(first.values.allSatisfy { (.seconds(59)...(.seconds(80))).contains($0) }, "\(first)")
    for number in straps { world.daemon.update(number) { $0.isAway = false } }
    #expect(world.run(atMost: .seconds(300), until: everybody) != nil)
    FollowingTests.check(world)
  }

  @Test func `a strap that is away for a moment gives no hint`() {
    var world = FollowingTests.followed()
    for _ in 0..<5 {
      world.daemon.update(1) { $0.isAway = true }
      world.daemon.dropLinks(of: 1)
      world.run(.seconds(15))
      world.daemon.update(1) { $0.isAway = false }
      _ = world.run(atMost: .seconds(60)) { $0.state() == .following }
      world.run(.seconds(20))
    }
    #expect(!world.states.contains { $0.status.detail?.contains("a phone or a watch") == true })
    FollowingTests.check(world)
  }

  @Test func `a strap that closes each link for a moment is followed soon after`() {
    var world = FollowingTests.followed()
    world.daemon.update(1) { $0.closesAfter = 10...40 }
    world.daemon.dropLinks(of: 1)
    world.run(.seconds(5))
    world.daemon.update(1) { $0.closesAfter = nil }
    #expect(world.run(atMost: .seconds(20)) { $0.state() == .following } != nil)
    FollowingTests.check(world)
  }
}
