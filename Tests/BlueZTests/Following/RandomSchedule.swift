import DBus

@testable import BlueZ
@testable import TestSupport

/// Generates faults in random order at random times, and ends all of them.
struct RandomSchedule {
  private var random: SeededGenerator
  private let straps: Int
  private let adapters: Int
  /// The straps whose attributes have moved. bluetoothd's cache of them may be wrong, and only the user can
  /// fix that.
  private var shifted: Set<Int> = []
  var world: FollowingWorld

  init(seed: UInt64, isPlain: Bool = true) {
    random = SeededGenerator(seed: seed)
    straps = Int.random(in: 1...4, using: &random)
    adapters = Int.random(in: 1...2, using: &random)
    world = FollowingWorld(straps: straps, adapters: adapters, seed: seed, isPlain: isPlain)
    world.daemon.forgetsServices = Bool.random(using: &random)
    world.daemon.forgetsSubscriptions = Bool.random(using: &random)
    for number in 1...straps where Bool.random(using: &random) {
      world.daemon.know(
        number, by: .random(in: 0..<adapters, using: &random), isBonded: Bool.random(using: &random))
    }
    for number in 1...straps where Bool.random(using: &random) {
      world.daemon.straps[number - 1].isAway = true
    }
  }

  mutating func play() {
    world.follow(Array(1...straps))
    world.openBus()
    for _ in 0..<Int.random(in: 2...15, using: &random) {
      world.run(
        .milliseconds(Int.random(in: 0...(Bool.random(using: &random) ? 2_000 : 90_000), using: &random)))
      disturb()
    }
  }

  private mutating func disturb() {
    let number = Int.random(in: 1...straps, using: &random)
    let adapter = Int.random(in: 0..<adapters, using: &random)
    let flag = Bool.random(using: &random)
    switch Int.random(in: 0..<24, using: &random) {
    case 0, 1: world.daemon.update(number) { $0.isAway = flag }
    case 2, 3: world.daemon.dropLinks(of: number)
    case 4: world.daemon.update(number) { $0.isMute = flag }
    case 5: world.daemon.update(number) { $0.isFrozen = flag }
    case 6:
      world.daemon.update(number) { $0.shift += 100 }
      shifted.insert(number)
    case 7: world.daemon.removeAdapter(adapter, reportingChildren: flag)
    case 8: world.daemon.isRunning ? world.daemon.addAdapter(adapter) : ()
    case 9: world.daemon.power(adapter, false, isBlocked: flag)
    case 10: world.daemon.power(adapter, true)
    case 11: world.daemon.stopDaemon()
    case 12: world.daemon.startDaemon()
    case 13: flag ? world.loseBus() : world.openBus()
    case 14: world.daemon.foreignAttemptUntil = world.now + .seconds(30)
    case 15: world.follow((1...straps).filter { $0 != number })
    case 16: world.loseSignals()
    case 17: world.daemon.update(number) { $0.closesAfter = flag ? 10...40 : nil }
    case 18: world.setClock(by: Int.random(in: -3600...3600, using: &random))
    case 19 where world.daemon.isRunning:
      world.daemon.isStopped = true
      world.run(.milliseconds(Int.random(in: 0...(flag ? 2_000 : 90_000), using: &random)))
      world.daemon.goOn()
    case 20, 21:
      let path = world.daemon.straps[number - 1].measurement(by: FakeDaemon.adapter(adapter))
      flag ? world.daemon.acquire(path) : world.daemon.release(path)
    case 22: world.daemon.pauseMachine(while: flag ? 93 : 40, from: number)
    default: world.follow(Array(1...straps))
    }
  }

  mutating func mend() {
    world.openBus()
    world.daemon.startDaemon()
    for adapter in 0..<adapters {
      world.daemon.addAdapter(adapter)
      world.daemon.power(adapter, true)
    }
    for path in world.daemon.acquired.sorted(by: { $0.rawValue < $1.rawValue }) { world.daemon.release(path) }
    for number in 1...straps {
      world.daemon.update(number) { strap in
        strap.isAway = false
        strap.isMute = false
        strap.isFrozen = false
        strap.closesAfter = nil
      }
    }
    world.follow(Array(1...straps))
  }

  /// Ends all faults. None of them removes a bond or a service, so each monitor whose attributes have not
  /// moved has to be followed again.
  ///
  /// - Returns: The time until all monitors are followed; `nil` if it takes longer than `limit`.
  mutating func recover(within limit: Duration) -> Duration? {
    let (straps, shifted) = (1...straps, shifted)
    return world.run(atMost: limit) { world in
      straps.allSatisfy { number in
        switch world.state(number) {
        // timingRefused is accepted, because three links may by chance have ended at the same age.
        case .following, .timingRefused: true
        case .staleCache: shifted.contains(number)
        default: false
        }
      }
    }
  }
}
