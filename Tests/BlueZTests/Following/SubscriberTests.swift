import Bluetooth
import Foundation
import Testing

@testable import BlueZ
@testable import TestSupport

/// Tests the filter that drops copies of measurements. bluetoothd sends a copy for each subscriber.
@Suite struct SubscriberTests {
  /// The number of seeds for each kind of simulated world; HRGATE_SEEDS sets another one.
  private static let seeds =
    ProcessInfo.processInfo.environment["HRGATE_SEEDS"].flatMap { Int($0) } ?? (isLongRun ? 200 : 8)

  private static func stops(
    _ random: inout SeededGenerator, seconds: Int, longest: Int = 1000
  ) -> [Range<Int>] {
    var stops: [Range<Int>] = []
    var time = 0
    while true {
      time += .random(in: 200...6000, using: &random)
      guard time < seconds * 1000 else { return stops }
      let end = time + .random(in: 1...longest, using: &random)
      stops.append(time..<end)
      time = end
    }
  }

  /// Returns when other clients subscribe and leave again. One or two of them stay for seconds at a time.
  private static func visits(_ random: inout SeededGenerator, seconds: Int, from: Int = 0) -> [(
    time: Int, by: Int
  )] {
    var changes: [(time: Int, by: Int)] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      var time = from + Int.random(in: 0...5000, using: &random)
      while time < seconds * 1000 {
        changes.append((time, 1))
        time += .random(in: 3000...9000, using: &random)
        changes.append((time, -1))
        time += .random(in: 1000...9000, using: &random)
      }
    }
    return changes
  }

  private static func world(
    _ seed: UInt64, _ change: (inout SubscriberWorld.Plan, inout SeededGenerator) -> Void
  )
    -> SubscriberWorld
  {
    var random = SeededGenerator(seed: seed &+ 1000)
    var plan = SubscriberWorld.Plan()
    plan.seconds = 60
    change(&plan, &random)
    var world = SubscriberWorld(plan, seed: seed)
    world.play()
    return world
  }

  private static func check(_ world: SubscriberWorld, _ seed: Int) {
    #expect(world.lost == [], "seed \(seed)")
    #expect(world.doubled == [], "seed \(seed)")
    #expect(world.isInOrder, "seed \(seed)")
    #expect(world.isBalanced, "seed \(seed)")
  }

  private struct Total {
    var sent = 0
    var dropped = 0
    var marked = 0
    var pings = 0

    mutating func add(_ world: SubscriberWorld) {
      sent += world.sent
      dropped += world.dropped
      marked += world.marked
      pings += world.pings
    }
  }

  private enum Others: CaseIterable {
    case none, visiting, talkative
  }

  private static func words(_ others: Others, _ random: inout SeededGenerator, seconds: Int) -> [Int] {
    (0..<(others == .talkative ? seconds / 3 : seconds / 12)).map { _ in
      .random(in: 0...seconds * 1000, using: &random)
    }
  }

  @Test(arguments: [125, 500, 1000], Others.allCases)
  private func
    `equal measurements are each emitted once, whichever subscribers come and go and processes stop`(
      period: Int, others: Others
    )
  {
    var total = Total()
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.period = period
        plan.jitter = period / 20
        plan.daemonStops = Self.stops(&random, seconds: plan.seconds)
        plan.gatewayStops = Self.stops(&random, seconds: plan.seconds)
        if others != .none { plan.changes = Self.visits(&random, seconds: plan.seconds, from: 20_000) }
        plan.chatter = Self.words(others, &random, seconds: plan.seconds)
      }
      Self.check(world, seed)
      total.add(world)
    }
    #expect((total.dropped == 0) == (others == .none))
    // Few measurements are marked as possible copies: if both processes were stopped while a client
    // subscribed.
    #expect(total.marked * (period < 1000 ? 15 : 8) <= total.sent, "\(total)")
  }

  /// The ways in which the gateway reads on a machine without enough CPU time.
  private enum Starvation: CaseIterable {
    /// The gateway reads at nearly regular times, and reads everything that has arrived. Each time it gets
    /// the same number of measurements, all late.
    case regular
    /// The gateway reads at random times, and reads only a limited number of bytes, so that values are
    /// minutes late.
    case byPieces
  }

  @Test(arguments: [125, 500, 1000], Starvation.allCases)
  private func `on a machine that is starved for minutes no measurement is dropped as a copy`(
    period: Int, starvation: Starvation
  ) {
    for others in Others.allCases {
      var total = Total()
      for seed in 0..<Self.seeds {
        let world = Self.world(UInt64(seed)) { plan, random in
          plan.seconds = 120
          plan.period = period
          plan.jitter = period / 20
          plan.daemonStops = Self.stops(&random, seconds: plan.seconds)
          plan.starvations = [Int.random(in: 0...40_000, using: &random)..<110_000]
          switch starvation {
          case .regular:
            let pause = Int.random(in: 200...1500, using: &random)
            plan.starvedReading = pause...pause + .random(in: 0...300, using: &random)
          case .byPieces:
            plan.gatewayStops = Self.stops(&random, seconds: plan.seconds)
            let pause = Int.random(in: 20...1000, using: &random)
            plan.starvedReading = pause...pause + .random(in: 0...2000, using: &random)
            plan.starvedReadings = .random(in: 7...14, using: &random)
          }
          if others != .none { plan.changes = Self.visits(&random, seconds: plan.seconds) }
          plan.chatter = Self.words(others, &random, seconds: plan.seconds)
        }
        Self.check(world, seed)
        total.add(world)
      }
      #expect((total.dropped == 0) == (others == .none), "\(total)")
    }
  }

  @Test(arguments: [125, 500, 1000])
  func `equal intervals of a pacemaker are no evidence of copies`(period: Int) {
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.seconds = 120
        plan.period = period
        plan.hasIntervals = true
        plan.isPaced = true
        plan.starvations = [Int.random(in: 0...2000, using: &random)..<110_000]
        let pause = period * Int.random(in: 2...4, using: &random)
        plan.starvedReading = pause...pause
        plan.chatter = Self.words(.talkative, &random, seconds: plan.seconds)
      }
      Self.check(world, seed)
      #expect(world.dropped == 0, "seed \(seed)")
    }
  }

  @Test(arguments: [125, 500], Others.allCases)
  private func
    `nothing is lost with three-second stops, separated copies and renewed subscriptions`(
      period: Int, others: Others
    )
  {
    var dropped = 0
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.period = period
        plan.jitter = period / 20
        plan.hasOtherSubscription = .random(using: &random)
        plan.slowness = 1...100
        plan.carriage = 0...30
        plan.daemonStops = Self.stops(&random, seconds: plan.seconds, longest: 3000)
        plan.busStops = Self.stops(&random, seconds: plan.seconds)
        plan.gatewayStops = Self.stops(&random, seconds: plan.seconds, longest: 3000)
        if others != .none { plan.changes = Self.visits(&random, seconds: plan.seconds) }
        plan.chatter = Self.words(others, &random, seconds: plan.seconds)
        plan.renewals = (0..<4).map { _ in .random(in: 0...60_000, using: &random) }
      }
      Self.check(world, seed)
      dropped += world.dropped
    }
    #expect((dropped == 0) == (others == .none))
  }

  @Test(arguments: Others.allCases, [2, 3])
  private func `a monitor that sends each value more than once loses nothing, however late it is read`(
    others: Others, repeats: Int
  ) {
    var total = Total()
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.seconds = 120
        plan.period = 1000 / repeats
        plan.values = 20
        plan.repeats = repeats
        plan.starvations = [Int.random(in: 0...40_000, using: &random)..<110_000]
        let pause = Int.random(in: 600...2500, using: &random)
        plan.starvedReading = pause...pause + 300
        if others != .none { plan.changes = Self.visits(&random, seconds: plan.seconds) }
        plan.chatter = Self.words(others, &random, seconds: plan.seconds)
      }
      Self.check(world, seed)
      total.add(world)
    }
    #expect((total.dropped == 0) == (others == .none), "\(total)")
  }

  @Test(arguments: [2, 3])
  func `a monitor that repeated a value only once loses nothing, however late it is read`(repeats: Int) {
    var marked = 0
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.seconds = 120
        plan.period = 1000 / repeats
        plan.values = 20
        plan.repeats = repeats
        plan.oddities = [.random(in: 3000...30_000, using: &random)]
        plan.starvations = [60_000..<110_000]
        let pause = Int.random(in: 600...2500, using: &random)
        plan.starvedReading = pause...pause + 100
        // A message to another client begins a new epoch: the filter discards what it has learned about the
        // number of copies.
        plan.chatter = [62_000, 63_000]
      }
      Self.check(world, seed)
      #expect(world.dropped == 0, "seed \(seed)")
      marked += world.marked
    }
    #expect(marked > 0)
  }

  @Test func `a monitor that repeats its values is recognized next to a subscriber from the beginning`() {
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.seconds = 120
        plan.period = 500
        plan.values = 20
        plan.repeats = 2
        plan.others = 1
        // Until the machine lacks CPU time, messages to other clients end each epoch before the filter has
        // determined the number of copies.
        plan.chatter = Array(stride(from: 2000, through: 60_000, by: 3000))
        plan.starvations = [61_000..<115_000]
        let pause = Int.random(in: 990...1010, using: &random)
        plan.starvedReading = pause...pause
      }
      Self.check(world, seed)
    }
  }

  @Test(arguments: [1, 2], [1, 3])
  func `runs before and after lost signals are no evidence`(repeats: Int, others: Int) {
    var missed = 0
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.seconds = 90
        plan.period = 500
        plan.jitter = 20
        plan.values = 10
        plan.repeats = repeats
        plan.carriage = 0...30
        plan.changes = (0..<others).flatMap { _ in
          [(Int.random(in: 12_000...15_000, using: &random), 1), (70_000, -1)]
        }
        plan.losses = (0..<4).map { _ in
          let start = Int.random(in: 20_000...65_000, using: &random)
          return start..<start + .random(in: 1...700, using: &random)
        }
      }
      Self.check(world, seed)
      missed += world.missed
    }
    #expect(missed > 0)
  }

  @Test func `a monitor that starts to measure faster just as the machine is starved loses nothing`() {
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.seconds = 100
        plan.period = 500
        plan.later = (from: 70_000, period: 125)
        plan.changes = [(60_000, 1), (64_000, -1)]
        plan.chatter = (0..<20).map { _ in .random(in: 71_000...80_000, using: &random) }
        plan.starvations = [71_000..<80_000]
        let pause = Int.random(in: 400...1000, using: &random)
        plan.starvedReading = pause...pause + 100
      }
      Self.check(world, seed)
    }
  }

  @Test func `a subscription that is repeated next to another client's counts again from then on`() {
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.period = 1000
        plan.others = 1
        plan.slowness = 1...300
        plan.renewals = [.random(in: 20_000...25_000, using: &random)]
      }
      Self.check(world, seed)
    }
  }

  @Test(arguments: [1, 2, 3])
  func `on a quiet machine only values before the pace is known are in doubt`(others: Int) {
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, _ in
        plan.period = 500
        plan.jitter = 20
        plan.changes = (0..<others).flatMap { [(10_000 + $0 * 7000, 1), (40_000 + $0 * 5000, -1)] }
      }
      Self.check(world, seed)
      #expect(world.marked == 0, "seed \(seed)")
      #expect(world.dropped > 20)
    }
  }

  @Test func `with a subscriber from the beginning, intervals show the copies after one measurement`() {
    let world = Self.world(1) { plan, _ in
      plan.period = 1000
      plan.hasIntervals = true
      plan.others = 2
    }
    Self.check(world, 1)
    #expect(world.marked == 0)
    #expect(world.dropped == 2 * world.sent)
    #expect(world.longestHeld <= 1100)
  }

  @Test func `a busy machine that spreads copies over half a second makes no difference`() {
    for seed in 0..<Self.seeds {
      let world = Self.world(UInt64(seed)) { plan, random in
        plan.period = 1000
        plan.slowness = 1...480
        plan.hasIntervals = true
        plan.changes = Self.visits(&random, seconds: plan.seconds)
      }
      Self.check(world, seed)
    }
  }

  @Test func `with a single subscriber no measurement is held or dropped, and one ping is enough`() {
    let world = Self.world(1) { plan, _ in plan.period = 125 }
    #expect(world.passed.map(\.frame) == Array(0..<world.sent))
    #expect(world.dropped == 0 && world.marked == 0 && world.longestHeld <= 0)
    #expect(world.pings == 1)
  }

  @Test func `values without a position are emitted as they arrive`() {
    var filter = DuplicateFilter()
    for number in 0..<10 as Range<UInt64> {
      let receipt = Receipt(boot: BootTime(nanoseconds: number), time: ReceiptTime(microsecondsSince1970: 0))
      let value = DuplicateFilter.Value(attribute: [0, 72], receipt: receipt)
      #expect(filter.receive(value) == [DuplicateFilter.Passed(value: value)])
    }
    #expect(filter.drainDropped() == 0)
  }
}
