import BlueZ
import Bluetooth
import Ingestion
import Synchronization
import Testing

@testable import Gateway

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let peripheral = PeripheralIdentity.address(strap)

/// A clock that advances by one microsecond at each reading.
private final class Ticks: Sendable {
  private let count = Mutex<Int64>(0)

  func next() -> SystemClocks {
    count.withLock { count in
      count += 1
      return SystemClocks(
        boottimeNanoseconds: UInt64(count) * 1000, wall: ReceiptTime(microsecondsSince1970: count))
    }
  }
}

@Suite(.timeLimit(.minutes(30))) struct EventBroadcastTests {
  private func battery(_ percentage: Int) -> GatewayEvent {
    .battery(LiveBattery(monitor: strap, percentage: percentage))
  }

  /// Returns the battery levels that a subscriber reads, and the number of missed events as a negative
  /// number.
  private func read(_ events: AsyncStream<GatewayEvent>) async -> [Int] {
    var read: [Int] = []
    for await event in events {
      if case .battery(let battery) = event { read.append(battery.percentage) }
      if case .missed(let count) = event { read.append(-count) }
    }
    return read
  }

  @Test func `a slow subscriber gets the number of missed events before the remaining ones`() async {
    let broadcast = EventBroadcast(capacity: 10)
    let (slow, quick) = (broadcast.events(\.event), broadcast.events(\.event))
    for level in 1...35 { broadcast.send(battery(level)) }
    broadcast.finish()
    let expected = [-25] + (26...35)
    #expect(await read(slow) == expected)
    #expect(await read(quick) == expected)
  }

  @Test func `events of several people update one state, and the main counts are last`() async {
    let broadcast = EventBroadcast(person: "anna", endsLast: true)
    let updates = broadcast.updates()
    let ben = EventSender(broadcast: broadcast, person: "ben")
    let monitor = EnrolledMonitor(
      address: strap, isBonded: false, enrolled: ReceiptTime(microsecondsSince1970: 0))
    broadcast.send(.enrolled([monitor]))
    ben.send(.refused(reason: "full"))
    broadcast.send(.ended(IngestionTally()))
    ben.send(.stopping)
    broadcast.finish()
    var last: GatewayUpdate?
    var people: [String?] = []
    for await update in updates {
      #expect(last?.state.hasEnded != true)
      people.append(update.event.person)
      last = update
    }
    #expect(people == ["anna", "ben", "ben", "anna"])
    #expect(last?.state.hasEnded == true && last?.state.accounts["ben"]?.refusal == "full")
    #expect(last?.state.monitors.map(\.person) == ["anna"])
  }

  @Test func `a slow subscriber that has caught up misses nothing more`() async {
    let broadcast = EventBroadcast(capacity: 4)
    var events = broadcast.events(\.event).makeAsyncIterator()
    func next() async -> Int? {
      switch await events.next() {
      case .battery(let battery): battery.percentage
      case .missed(let count): -count
      default: nil
      }
    }
    for level in 1...6 { broadcast.send(battery(level)) }
    #expect(await next() == -2)
    #expect(await next() == 3)
    for level in 7...9 { broadcast.send(battery(level)) }
    #expect(await next() == -2)
    for level in [6, 7, 8, 9] { #expect(await next() == level) }
    broadcast.send(battery(10))
    #expect(await next() == 10)
  }

  @Test func `an event has the time at which it was sent, whenever it is read`() async {
    let ticks = Ticks()
    let broadcast = EventBroadcast(capacity: 3) { ticks.next() }
    let events = broadcast.events { $0 }
    for level in 1...5 { broadcast.send(battery(level)) }
    broadcast.finish()
    var times: [Int64] = []
    for await event in events { times.append(event.emitted.wall.microsecondsSince1970) }
    // The first two of five events are dropped. The notice about them has the time of the first one.
    #expect(times == [1, 3, 4, 5])
  }

  @Test func `a subscriber that stops listening is removed, and a canceled one returns`() async {
    let broadcast = EventBroadcast()
    do {
      let events = broadcast.events(\.event)
      #expect(broadcast.isWatched)
      let waiting = Task { await read(events) }
      waiting.cancel()
      #expect(await waiting.value == [])
    }
    #expect(!broadcast.isWatched)
    broadcast.send(battery(1))
  }

  @Test func `a waiting subscriber gets each event as it is sent`() async {
    let broadcast = EventBroadcast()
    let events = broadcast.events(\.event)
    async let read = read(events)
    for level in 0..<500 { broadcast.send(battery(level)) }
    broadcast.finish()
    #expect(await read == Array(0..<500))
  }

  // MARK: - States

  private func enrolled() -> GatewayEvent {
    .enrolled([EnrolledMonitor(address: strap, isBonded: true, enrolled: .init(microsecondsSince1970: 0))])
  }

  @Test func `a slow reader of states gets the newest one, and the last one at the end`() async {
    let broadcast = EventBroadcast(capacity: 2)
    var states = broadcast.states().makeAsyncIterator()
    broadcast.send(enrolled())
    for level in 1...50 { broadcast.send(battery(level)) }
    #expect(await states.next()?.monitors.map(\.battery) == [50])
    broadcast.send(battery(51))
    broadcast.send(.ended(IngestionTally()))
    broadcast.finish()
    let last = await states.next()
    #expect(last?.hasEnded == true && last?.monitors.map(\.battery) == [51])
    #expect(await states.next() == nil)
  }

  @Test func `states begin with the current one, and a new run begins from scratch`() async {
    let broadcast = EventBroadcast()
    broadcast.send(enrolled())
    var late = broadcast.states().makeAsyncIterator()
    #expect(await late.next()?.monitors.count == 1)
    broadcast.finish()
    broadcast.begin()
    var next = broadcast.states().makeAsyncIterator()
    broadcast.send(battery(1))
    #expect(await next.next()?.monitors.isEmpty == true)
  }

  @Test func `an update has the state after its event`() async {
    let broadcast = EventBroadcast(capacity: 3)
    let updates = broadcast.updates()
    broadcast.send(enrolled())
    for level in 1...4 { broadcast.send(battery(level)) }
    broadcast.finish()
    var read: [Int?] = []
    for await update in updates {
      if case .battery(let battery) = update.event.event { read.append(battery.percentage) }
      if case .missed(let count) = update.event.event { read.append(-count) }
      read.append(update.state.monitors.first?.battery)
    }
    // The two dropped events are the enrollment and the first battery level.
    #expect(read == [-2, nil, 2, 2, 3, 3, 4, 4])
  }

  // MARK: - Live values

  private func frame(_ measurement: HeartRateMeasurement, _ time: Int64) -> CentralEvent {
    .notified(
      ValueNotification(
        peripheral: peripheral, characteristic: .heartRateMeasurement, value: measurement.encoded,
        receiptTime: ReceiptTime(microsecondsSince1970: time)))
  }

  @Test func `events of a central are reported as they were sent, with the measurements together`() throws {
    let full = HeartRateMeasurement(
      heartRate: 300, sensorContact: .detected, energyExpended: 7, rrTicks: [832, 1])
    let bare = HeartRateMeasurement(heartRate: 0, sensorContact: .notDetected)
    var intake = EventIntake()
    let centralEvents: [CentralEvent] = [
      .connected(peripheral, ReceiptTime(microsecondsSince1970: 1)), frame(full, 2),
      .valueRead(peripheral, .batteryLevel, AttributeValue([64])), frame(bare, 3),
      .notified(
        ValueNotification(
          peripheral: peripheral, characteristic: .heartRateMeasurement, value: AttributeValue([]),
          receiptTime: ReceiptTime(microsecondsSince1970: 4))),
    ]
    #expect(intake.receive(centralEvents.span) == centralEvents.count)
    #expect(intake.drainReadings().isEmpty, "there is no subscriber")
    intake.isWatched = true
    #expect(intake.receive(centralEvents.span) == centralEvents.count)
    let events = GatewayEvent.live(intake.drainReadings())
    #expect(intake.drainReadings().isEmpty)
    try #require(events.count == 2)
    guard case .battery(let battery) = events[0], case .measured(let measured) = events[1] else {
      Issue.record("expected a battery level and measurements")
      return
    }
    #expect(battery == LiveBattery(monitor: strap, percentage: 64))
    #expect(
      measured == [
        LiveMeasurement(
          monitor: strap, receiptTime: ReceiptTime(microsecondsSince1970: 2), heartRate: 300,
          hasContact: true, energy: 7, intervals: [0.8125, 0.0009765625]),
        LiveMeasurement(
          monitor: strap, receiptTime: ReceiptTime(microsecondsSince1970: 3), heartRate: 0,
          hasContact: false),
      ])
  }

  @Test func `subscribers also see measurements that there is no room to store`() throws {
    var intake = EventIntake()
    intake.isWatched = true
    intake.isShedding = true
    let events = [frame(HeartRateMeasurement(heartRate: 61), 2)]
    #expect(intake.receive(events.span) == 1)
    #expect(intake.summary.rejected == [.storeFailed: 1])
    guard case .measured(let measured) = try #require(GatewayEvent.live(intake.drainReadings()).first) else {
      Issue.record("expected a measurement")
      return
    }
    #expect(measured.map(\.heartRate) == [61])
  }
}
