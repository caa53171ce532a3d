import Bluetooth
import BluetoothCentral
import Testing

@testable import BlueZ
@testable import TestSupport

/// bluetoothd stands still, as after SIGSTOP, and goes on.
@Suite struct StoppedDaemonTests {
  /// A strap that has been followed for half a minute, and bluetoothd that has stood still for so long.
  private static func stopped(for duration: Duration) -> FollowingWorld {
    var world = FollowingTests.followed()
    world.run(.seconds(30))
    world.daemon.isStopped = true
    world.run(duration)
    return world
  }

  private static func times(_ world: FollowingWorld) -> [(time: ReceiptTime, isDelayed: Bool)] {
    world.events.compactMap { item in
      guard case .notified(let notification) = item.event else { return nil }
      return (notification.receiptTime, notification.marks.contains(.delayed))
    }
  }

  @Test func `it is told as unresponsive, and the monitor is not blamed`() {
    var world = Self.stopped(for: .seconds(60))
    let begin = world.now
    #expect(world.state() == .daemonUnresponsive)
    #expect(!world.wasIn(.silent) && !world.wasIn(.frozen))
    world.daemon.goOn()
    #expect(world.run(atMost: .seconds(5)) { $0.state() == .following } != nil)
    world.run(.seconds(60))
    #expect(!world.story(since: begin).contains("disconnected"))
    #expect(world.notified() == Array(0..<Int(world.daemon.straps[0].sent)))
    FollowingTests.check(world)
  }

  @Test func `nothing that ends a link waits for it`() {
    for seed in 0..<40 as Range<UInt64> {
      var world = FollowingWorld(straps: 2, seed: seed)
      world.daemon.know(1)
      world.daemon.know(2, isBonded: true)
      world.follow([1, 2])
      world.openBus()
      world.run(.milliseconds(Int(seed) * 100))
      world.daemon.isStopped = true
      world.run(.seconds(90))
      #expect(world.state() == .daemonUnresponsive, "seed \(seed)")
      // Whose call was not answered is not to blame, and not to be parted from.
      #expect(!world.wasIn(.frozen), "seed \(seed)")
      for item in world.daemon.waitingCalls {
        switch item.call {
        case .disconnect, .removeDevice, .stopNotify: Issue.record("seed \(seed): \(item.call) waits")
        default: break
        }
      }
      world.daemon.goOn()
      #expect(
        world.run(atMost: .seconds(120)) { $0.state(1) == .following && $0.state(2) == .following } != nil)
    }
  }

  @Test func `what waited gets times at the monitor's pace, and says so`() {
    var world = Self.stopped(for: .seconds(58))
    world.daemon.goOn()
    world.run(.seconds(30))
    let times = Self.times(world)
    let delayed = times.count(where: \.isDelayed)
    #expect(delayed > 40)
    let spacings = zip(times.dropFirst(), times).map { $0.time.microseconds(since: $1.time) }
    // Never back, and no heap of them at one time.
    #expect(spacings.allSatisfy { (0...8_000_000).contains($0) }, "\(spacings)")
    #expect(times.suffix(5).allSatisfy { !$0.isDelayed })
    #expect(!world.story().contains { $0.hasPrefix("gap") })
  }

  @Test func `what was too much for the kernel is a gap behind what waited`() {
    var world = Self.stopped(for: .seconds(60))
    let kept = 20
    world.daemon.waitingValues.removeLast(world.daemon.waitingValues.count - kept)
    world.daemon.goOn()
    world.run(.seconds(30))
    #expect(Self.times(world).count(where: \.isDelayed) == kept)
    #expect(world.story().filter { $0.hasPrefix("gap") } == ["gap: overflow"])
  }

  @Test func `if it is killed instead, the gap has that cause`() {
    var world = Self.stopped(for: .seconds(60))
    world.daemon.stopDaemon()
    world.run(.seconds(1))
    #expect(world.state() == .daemonAbsent)
    #expect(world.story().suffix(2) == ["gap: bluetoothd-absent", "disconnected"])
    world.daemon.startDaemon()
    #expect(world.run(atMost: .seconds(60)) { $0.state() == .following } != nil)
  }
}
