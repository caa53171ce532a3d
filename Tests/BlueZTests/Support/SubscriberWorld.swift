import Bluetooth

@testable import BlueZ
@testable import DBus
@testable import TestSupport

/// A simulation of bluetoothd, the bus and the gateway with one subscription. Other clients subscribe and
/// leave, and each of the three processes stops at random times. The world passes bluetoothd's messages, with
/// their serials, to a ``DuplicateFilter``. It knows to which measurement each value belongs, even if values
/// are equal.
struct SubscriberWorld {
  struct Plan {
    var seconds = 30
    /// Time between measurements, in milliseconds.
    var period = 125
    var jitter = 0
    /// A time in milliseconds and the period between measurements from then on.
    var later: (from: Int, period: Int)?
    /// The number of different values.
    var values = 1
    /// The number of equal consecutive measurements, if the monitor notifies more often than it measures.
    var repeats = 1
    /// Times in milliseconds at which a value is repeated once more than the others.
    var oddities: [Int] = []
    var hasIntervals = false
    /// Whether all intervals are equal, like those of a pacemaker.
    var isPaced = false
    /// The number of other subscribers at the beginning.
    var others = 0
    /// The times, in milliseconds, at which clients subscribe (1) or leave (-1).
    var changes: [(time: Int, by: Int)] = []
    /// The times, in milliseconds, at which bluetoothd sends a message to another client.
    var chatter: [Int] = []
    /// The times, in milliseconds, at which the gateway stops its subscription. It subscribes again when that
    /// is answered.
    var renewals: [Int] = []
    /// Whether the gateway is also subscribed to another monitor, so that bluetoothd keeps the match rule for
    /// its name.
    var hasOtherSubscription = true
    var daemonStops: [Range<Int>] = []
    var busStops: [Range<Int>] = []
    var gatewayStops: [Range<Int>] = []
    /// The milliseconds that bluetoothd needs for one iteration of its loop, and after which the gateway
    /// reads.
    var slowness = 1...2
    /// The milliseconds that the bus needs for a message, so that copies arrive one after the other.
    var carriage = 0...0
    /// The periods in which the machine lacks CPU time, and the milliseconds after which the gateway then
    /// reads.
    var starvations: [Range<Int>] = []
    var starvedReading = 1...2
    /// The number of messages that the gateway reads at a time while the machine lacks CPU time.
    var starvedReadings = Int.max
    /// The periods in which signals are lost before the gateway reads them. The gateway is informed.
    var losses: [Range<Int>] = []
  }

  private enum Event {
    case frame(Int)
    case change(by: Int)
    case chatter
    case ping
    /// The gateway ends its subscription, or subscribes again.
    case leave, comeBack
    case daemonWorks
    case busCarries
    case gatewayReads
  }

  private enum Message {
    case value(frame: Int)
    case pong
    case left, cameBack
  }

  let plan: Plan
  private(set) var filter = DuplicateFilter()
  /// The emitted measurements in order, and whether each is marked as a possible copy.
  private(set) var passed: [(frame: Int, mayBeCopy: Bool)] = []
  private(set) var signalled = 0
  private(set) var dropped = 0
  private(set) var sent = 0
  private(set) var pings = 0
  /// The number of measurements for which at least one signal was lost.
  private(set) var missed = 0
  private var isLosing = false
  /// The measurements for which at least one signal was lost.
  private var damaged: Set<Int> = []
  /// The longest time that the filter held back a measurement, in milliseconds.
  private(set) var longestHeld = 0

  private var random: SeededGenerator
  /// Chooses how a value is passed to the filter. This is a separate generator, so that the choice does not
  /// change the rest of the simulation.
  private var ways: SeededGenerator
  private var now = 0
  /// Pending events in reverse order: the next event is the last element.
  private var queue: [(time: Int, order: Int, event: Event)] = []
  private var order = 0
  private var others: Int
  private var isSubscribed = true
  /// The measurements that bluetoothd signaled. Without a subscriber it signals nothing.
  private var sentFrames: Set<Int> = []
  private var contents: [[UInt8]] = []
  /// Pending data in bluetoothd's sockets: notifications of the monitor, and requests of programs.
  private var notified: [Int] = []
  private var asked: [Event] = []
  private var isDaemonDue = false
  private var serial: UInt32 = 100
  private var underWay: [(message: Message, serial: UInt32)] = []
  private var isCarriageDue = false
  private var socket: [(message: Message, serial: UInt32)] = []
  private var isReadDue = false
  private var senderPosition: SenderPosition?
  private var isPinging = false
  private var frameOf: [UInt32: Int] = [:]

  init(_ plan: Plan, seed: UInt64) {
    self.plan = plan
    others = plan.others
    random = SeededGenerator(seed: seed)
    ways = SeededGenerator(seed: ~seed)
    var time = 0
    var rate: UInt8 = 70
    var left = 0
    var oddities = plan.oddities.sorted()[...]
    while time < plan.seconds * 1000 {
      let jitter = Int.random(in: -plan.jitter...plan.jitter, using: &random)
      add(.frame(contents.count), at: max(0, time + jitter))
      if left == 0 {
        rate = UInt8(70 + Int.random(in: 0..<plan.values, using: &random))
        left = plan.repeats
        if let odd = oddities.first, odd <= time {
          oddities.removeFirst()
          left += 1
        }
      }
      left -= 1
      let ticks = plan.isPaced ? 0 : UInt8.random(in: 0...255, using: &random)
      contents.append(plan.hasIntervals ? [0x10, rate, ticks, 3] : [0, rate])
      time += plan.later.flatMap { time >= $0.from ? $0.period : nil } ?? plan.period
    }
    for change in plan.changes { add(.change(by: change.by), at: change.time) }
    for time in plan.chatter { add(.chatter, at: time) }
    for time in plan.renewals { add(.leave, at: time) }
  }

  mutating func play() {
    while let (time, _, event) = queue.popLast() {
      while let deadline = filter.deadline.map({ Int($0.nanoseconds / 1_000_000) }), deadline <= time {
        note(filter.flush(at: Self.boot(deadline)), at: deadline)
      }
      now = time
      happen(event)
    }
    note(filter.end(), at: now)
    dropped += filter.drainDropped()
  }

  private mutating func add(_ event: Event, at time: Int) {
    order += 1
    // Events are sorted so that the next one is last. Of events at the same time, the newer one is handled
    // later.
    var (low, high) = (0, queue.count)
    while low < high {
      let middle = (low + high) / 2
      if queue[middle].time > time { low = middle + 1 } else { high = middle }
    }
    queue.insert((time, order, event), at: low)
  }

  private mutating func happen(_ event: Event) {
    switch event {
    case .frame(let number):
      sent += 1
      notified.append(number)
      wakeDaemon()
    case .change, .chatter, .ping, .leave, .comeBack:
      asked.append(event)
      wakeDaemon()
    case .daemonWorks:
      isDaemonDue = false
      if let stop = plan.daemonStops.first(where: { $0.contains(now) }) {
        return wakeDaemon(at: stop.upperBound)
      }
      work()
      if !notified.isEmpty || !asked.isEmpty { wakeDaemon() }
    case .busCarries:
      isCarriageDue = false
      if let stop = plan.busStops.first(where: { $0.contains(now) }) { return wakeBus(at: stop.upperBound) }
      socket.append(underWay.removeFirst())
      wakeGateway()
      if !underWay.isEmpty { wakeBus() }
    case .gatewayReads:
      isReadDue = false
      if let stop = plan.gatewayStops.first(where: { $0.contains(now) }) {
        return wakeGateway(at: stop.upperBound)
      }
      read()
    }
  }

  // MARK: - bluetoothd

  private mutating func wakeDaemon(at time: Int? = nil) {
    guard !isDaemonDue else { return }
    isDaemonDue = true
    add(.daemonWorks, at: time ?? now + .random(in: plan.slowness, using: &random))
  }

  /// Runs one iteration of bluetoothd's loop, which handles a notification or all requests of programs.
  private mutating func work() {
    if !notified.isEmpty, asked.isEmpty || .random(in: 0..<4, using: &random) > 0 {
      let number = notified.removeFirst()
      for _ in 0..<others + (isSubscribed ? 1 : 0) { say(.value(frame: number)) }
      return
    }
    for item in asked {
      switch item {
      case .change(let by):
        others = max(0, others + by)
        // bluetoothd sends a reply, and sometimes also adds a match rule for the client's name.
        serial += .random(in: 1...2, using: &random)
      case .chatter: serial += 1
      case .ping: say(.pong)
      case .leave: subscribe(false, .left)
      case .comeBack: subscribe(true, .cameBack)
      default: break
      }
    }
    asked.removeAll()
  }

  private mutating func subscribe(_ isSubscribed: Bool, _ answer: Message) {
    self.isSubscribed = isSubscribed
    if !plan.hasOtherSubscription { serial += 1 }
    say(answer)
  }

  private mutating func say(_ message: Message) {
    serial += 1
    if case .value(let frame) = message { sentFrames.insert(frame) }
    underWay.append((message, serial))
    wakeBus()
  }

  // MARK: - The bus

  private mutating func wakeBus(at time: Int? = nil) {
    guard !isCarriageDue else { return }
    isCarriageDue = true
    add(.busCarries, at: time ?? now + .random(in: plan.carriage, using: &random))
  }

  // MARK: - The gateway

  private mutating func wakeGateway(at time: Int? = nil) {
    guard !isReadDue else { return }
    isReadDue = true
    let slowness = isStarved ? plan.starvedReading : plan.slowness
    add(.gatewayReads, at: time ?? now + .random(in: slowness, using: &random))
  }

  private var isStarved: Bool { plan.starvations.contains { $0.contains(now) } }

  private mutating func read() {
    let messages = Array(socket.prefix(isStarved ? plan.starvedReadings : .max))
    socket.removeFirst(messages.count)
    if !socket.isEmpty { wakeGateway() }
    for (message, serial) in messages {
      var isResponse = false
      switch message {
      case .left, .cameBack: isResponse = true
      case .pong, .value: break
      }
      senderPosition =
        senderPosition?.next(serial: serial, isResponse: isResponse)
        ?? SenderPosition(serial: serial, responses: 0)
      switch message {
      case .pong: isPinging = false
      case .left: add(.comeBack, at: now + .random(in: plan.slowness, using: &random))
      case .cameBack: break
      case .value(let frame) where plan.losses.contains { $0.contains(now) }:
        missed += 1
        isLosing = true
        damaged.insert(frame)
      case .value(let frame):
        if isLosing {
          isLosing = false
          note(filter.end(), at: now)
          filter.recordLoss()
        }
        signalled += 1
        frameOf[serial] = frame
        let receipt = Receipt(
          boot: Self.boot(now), time: ReceiptTime(microsecondsSince1970: Int64(now) * 1000),
          senderPosition: senderPosition)
        note(
          take(DuplicateFilter.Value(attribute: AttributeValue(contents[frame]), receipt: receipt)), at: now)
      }
      guard filter.wantsSeparator, !isPinging else { continue }
      isPinging = true
      pings += 1
      filter.recordSeparator()
      add(.ping, at: now + .random(in: plan.slowness, using: &random))
    }
    dropped += filter.drainDropped()
  }

  /// Passes a value to the filter in one of the two ways that the gateway uses: `passAlone`, which works only
  /// if the gateway is known to be the only subscriber, or `receive`.
  private mutating func take(_ value: DuplicateFilter.Value) -> [DuplicateFilter.Passed] {
    if Bool.random(using: &ways), filter.passAlone(value) { return [DuplicateFilter.Passed(value: value)] }
    return filter.receive(value)
  }

  private mutating func note(_ values: [DuplicateFilter.Passed], at time: Int) {
    for item in values {
      guard let serial = item.value.receipt.senderPosition?.serial, let frame = frameOf[serial] else {
        continue
      }
      passed.append((frame, item.mayBeCopy))
      longestHeld = max(longestHeld, time - Int(item.value.receipt.boot.nanoseconds / 1_000_000))
    }
  }

  private static func boot(_ milliseconds: Int) -> BootTime {
    BootTime(nanoseconds: UInt64(milliseconds) * 1_000_000)
  }

  // MARK: - Invariants

  /// The measurements that bluetoothd signaled and that were received completely, but not emitted.
  var lost: [Int] { sentFrames.subtracting(damaged).subtracting(passed.map(\.frame)).sorted() }

  /// The measurements that were emitted more than once without a mark as a possible copy.
  var doubled: [Int] {
    var counts: [Int: Int] = [:]
    for item in passed where !item.mayBeCopy { counts[item.frame, default: 0] += 1 }
    return counts.filter { $0.value > 1 }.keys.sorted()
  }

  var marked: Int { passed.count(where: \.mayBeCopy) }
  var isInOrder: Bool { zip(passed, passed.dropFirst()).allSatisfy { $0.frame <= $1.frame } }
  var isBalanced: Bool { signalled == passed.count + dropped }
}
