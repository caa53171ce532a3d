import Bluetooth
import Testing

@testable import BlueZ

/// Tests the queue of events for the ingestion pipeline: batches, limits and the end of the stream.
@Suite(.timeLimit(.minutes(30))) struct BoundedEventQueueTests {
  private static let strap = PeripheralIdentity.address(
    BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random))

  private func measurement(_ rate: UInt8) -> CentralEvent {
    .notified(
      ValueNotification(
        peripheral: Self.strap, characteristic: .heartRateMeasurement, value: AttributeValue([0, rate]),
        receiptTime: time(rate)))
  }

  private func time(_ seconds: UInt8) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + Int64(seconds) * 1_000_000)
  }

  private func words(_ events: [CentralEvent]?) -> [String]? {
    events?.map { event in
      switch event {
      case .notified(let notification): notification.value.description
      case .connected: "connected"
      case .disconnected: "disconnected"
      case .gapBegan(_, let cause, let time):
        "\(cause.rawValue)@\(time.microsecondsSince1970 / 1_000_000 % 1000)"
      default: "other"
      }
    }
  }

  @Test func `measurements are gathered until they are released`() async {
    let buffer = EventBuffer(capacity: 10)
    var queue = BoundedEventQueue(buffer, gathers: true)
    let waits = [queue.yield([measurement(1)]), queue.yield([measurement(2)])]
    #expect(waits == [true, true])
    async let first = buffer.next()
    queue.release()
    #expect(words(await first) == ["0001", "0002"])
    _ = queue.yield([measurement(3)])
    queue.release()
    #expect(words(await buffer.next()) == ["0003"])
  }

  @Test func `events after a release are delivered at the next one`() async {
    let buffer = EventBuffer(capacity: 10)
    var queue = BoundedEventQueue(buffer, gathers: true)
    _ = queue.yield([measurement(1)])
    queue.release()
    #expect(words(await buffer.next()) == ["0001"])
    _ = queue.yield([measurement(2)])
    let next = Task { await buffer.next() }
    for _ in 0..<50 { await Task.yield() }
    _ = queue.yield([measurement(3)])
    queue.release()
    #expect(words(await next.value) == ["0002", "0003"])
  }

  @Test func `events of all kinds are gathered, in order`() async {
    let buffer = EventBuffer(capacity: 10)
    var queue = BoundedEventQueue(buffer, gathers: true)
    let waits = [queue.yield([measurement(1)]), queue.yield([.disconnected(Self.strap, time(2))])]
    #expect(waits == [true, true])
    queue.release()
    #expect(words(await buffer.next()) == ["0001", "disconnected"])
  }

  @Test func `a release without events does not release later ones`() async {
    let buffer = EventBuffer(capacity: 10)
    var queue = BoundedEventQueue(buffer, gathers: true)
    queue.release()
    _ = queue.yield([measurement(1)])
    let next = Task { await buffer.next() }
    for _ in 0..<50 { await Task.yield() }
    _ = queue.yield([measurement(2)])
    queue.release()
    #expect(words(await next.value) == ["0001", "0002"])
  }

  @Test func `many events are delivered at once, and pending ones too if there is no room`() async {
    let many = EventBuffer(capacity: 65_536)
    var queue = BoundedEventQueue(many, gathers: true)
    for _ in 0..<4096 { _ = queue.yield([measurement(1)]) }
    #expect(await many.next()?.count == 4096)
    let few = EventBuffer(capacity: 1)
    queue = BoundedEventQueue(few, gathers: true)
    _ = queue.yield([measurement(1)])
    _ = queue.yield([measurement(2)])
    #expect(words(await few.next()) == ["0001"])
  }

  @Test func `an queue that does not gather delivers each event at once`() async {
    let buffer = EventBuffer(capacity: 10)
    var queue = BoundedEventQueue(buffer, gathers: false)
    let waits = queue.yield([measurement(1)])
    #expect(!waits)
    #expect(words(await buffer.next()) == ["0001"])
  }

  @Test func `dropped events become a gap from their first measurement on`() async {
    let buffer = EventBuffer(capacity: 2)
    var queue = BoundedEventQueue(buffer, gathers: false)
    _ = queue.yield([.connected(Self.strap, time(1)), measurement(1)])
    _ = queue.yield([measurement(5)])
    _ = queue.yield([measurement(6)])
    _ = queue.yield([.disconnected(Self.strap, time(7))])
    #expect(words(await buffer.next()) == ["connected", "0001"])
    _ = queue.yield([])
    #expect(words(await buffer.next()) == ["overflow@5", "disconnected"])
    _ = queue.yield([measurement(8)])
    #expect(words(await buffer.next()) == ["0008"], "the gap is reported once")
  }

  @Test func `the end delivers pending events, then nothing`() async {
    let buffer = EventBuffer(capacity: 10)
    var queue = BoundedEventQueue(buffer, gathers: true)
    _ = queue.yield([measurement(1)])
    buffer.finish()
    #expect(words(await buffer.next()) == ["0001"])
    #expect(await buffer.next() == nil)
    let waits = queue.yield([measurement(2)])
    #expect(!waits)
  }

  @Test func `a consumer that is canceled stops waiting, and loses nothing`() async {
    let buffer = EventBuffer(capacity: 10)
    let waiting = Task { await buffer.next() }
    for _ in 0..<50 { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == nil)
    var queue = BoundedEventQueue(buffer, gathers: false)
    _ = queue.yield([measurement(1)])
    #expect(words(await buffer.next()) == ["0001"])
  }
}

/// Tests that monitors are released reliably before another consumer follows them.
@Suite(.timeLimit(.minutes(30))) struct LostReleaseTests {
  @Test func `each release is reported despite a full queue, before later events`()
    async
  {
    let strap = PeripheralIdentity.address(BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random))
    let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)
    let buffer = EventBuffer(capacity: 8)
    var queue = BoundedEventQueue(buffer, gathers: true)
    _ = queue.yield(Array(repeating: .connected(strap, begin), count: 8))
    for _ in 0..<2 { _ = queue.yield([.disconnected(strap, begin), .released(strap)]) }
    _ = queue.yield([.connected(strap, begin)])
    queue.release()
    _ = await buffer.next()
    _ = queue.yield([])
    queue.release()
    let words = await buffer.next()?.map { event in
      switch event {
      case .connected: "connected"
      case .disconnected: "disconnected"
      case .released: "released"
      case .gapBegan(_, let cause, _): cause.rawValue
      default: "other"
      }
    }
    #expect(
      words == ["overflow", "disconnected", "released", "released", "overflow", "connected"], "\(words ?? [])"
    )
  }
}
