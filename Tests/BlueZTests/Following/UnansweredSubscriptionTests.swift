import Bluetooth
import DBus
import Testing

@testable import BlueZ

/// Tests subscriptions that bluetoothd does not answer, as while it pairs for them.
@Suite struct UnansweredSubscriptionTests {
  private static func unanswered(isBonded: Bool = false) -> FollowingWorld {
    FollowingTests.begun(isBonded: isBonded) { daemon in
      daemon.update(1) {
        $0.ignoresSubscriptions = true
        $0.isMute = true
      }
    }
  }

  @Test func `without a bond the strap may require one, so that is reported, and there is time to pair`() {
    var world = Self.unanswered()
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .frozen } != nil)
    #expect(world.states.last?.status.detail?.contains("hrgate pair") == true)
    let link = world.daemon.links
    let start = world.now
    world.run(FollowingPolicy().pairing)
    #expect(!link.isEmpty && world.daemon.links == link)
    // The gateway sends only pings, so it does not disturb the pairing. The advice to run `hrgate pair` is
    // still shown.
    #expect(world.calls.allSatisfy { $0.time < start || $0.call == .ping })
    #expect(world.state() == .frozen)
    // If the user does not pair in time, the gateway ends the link.
    #expect(world.run(atMost: .seconds(120)) { $0.daemon.links != link } != nil)
  }

  @Test func `a monitor that was enrolled with a bond needs pairing on an adapter without one`() {
    var world = FollowingWorld()
    world.daemon.update(1) {
      $0.ignoresSubscriptions = true
      $0.isMute = true
    }
    world.daemon.know(1)
    world.follow([1], areBonded: true)
    world.openBus()
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .pairingNeeded } != nil)
    #expect(world.states.last?.status.advice?.contains("hrgate pair") == true)
    #expect(!world.wasIn(.frozen))
    // The gateway keeps the link while the user may be pairing.
    let link = world.daemon.links
    world.run(FollowingPolicy().pairing)
    #expect(!link.isEmpty && world.daemon.links == link)
    #expect(world.state() == .pairingNeeded)
  }

  @Test func `late values are accepted, and silence after them is handled as usual`() {
    var world = Self.unanswered()
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .frozen } != nil)
    world.daemon.update(1) { $0.isMute = false }
    #expect(world.run(atMost: .seconds(10)) { $0.state() == .following } != nil)
    world.run(.seconds(30))
    #expect(world.state() == .following)
    world.daemon.update(1) { $0.isMute = true }
    #expect(world.run(atMost: .seconds(8)) { $0.state() == .silent } != nil)
    FollowingTests.check(world)
  }

  @Test func `with a bond the link is made again`() {
    var world = Self.unanswered(isBonded: true)
    #expect(world.run(atMost: .seconds(120)) { $0.state() == .frozen } != nil)
    #expect(world.states.last?.status.detail?.contains("hrgate pair") == false)
    let link = world.daemon.links
    #expect(world.run(atMost: .seconds(5)) { $0.daemon.links != link } != nil)
  }
}
