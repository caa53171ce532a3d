import Bluetooth
import Testing

@testable import PacketReplay

/// Tests logs that begin after the discovery of services, so that handles have no characteristics.
@Suite struct MidConnectionTests {
  private let log: WrittenLog

  init() throws { log = try WrittenLog() }

  @Test func `without evidence about a handle, its values are counted and not delivered`()
    async throws
  {
    for rate in 60..<70 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.notifications == 10)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 10])
    #expect(replayed.tally.inferred.isEmpty)
  }

  @Test func `the handle that the caller specifies is used, and this is reported`() async throws {
    for rate in 60..<63 as Range<UInt8> {
      try log.notify([0x06, rate])
      try log.notify([86], at: 0x20)
    }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish(), measurementHandle: 0x12))
    #expect(replayed.values == [[0x06, 60], [0x06, 61], [0x06, 62]])
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x20): 3])
    #expect(replayed.tally.inferred == [InferredHandle(peer: nil, handle: 0x12, reason: .namedByCaller)])
  }

  @Test func `a configured handle is used after five consecutive valid values, without losing earlier ones`()
    async throws
  {
    try log.connect()
    try log.subscribe()
    for rate in 60..<66 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.map { $0.bytes[1] } == [60, 61, 62, 63, 64, 65])
    #expect(replayed.times == [3, 4, 5, 6, 7, 8])
    #expect(replayed.tally.unresolved.isEmpty)
    #expect(
      replayed.tally.inferred == [
        InferredHandle(peer: WrittenLog.strap, handle: 0x12, reason: .clientConfiguration)
      ])
  }

  @Test func `four valid values are not enough`() async throws {
    try log.connect()
    try log.subscribe()
    for rate in 60..<64 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: WrittenLog.strap, handle: 0x12): 4])
  }

  @Test(
    arguments: [[], [0x06], [0x06, 5], [0x06, 254], [0x16, 60, 1], [0x06, 60, 1], [0x09, 60, 0]] as [[UInt8]])
  func `after one value that no strap sends, a configured handle is not used`(value: [UInt8]) async throws {
    try log.connect()
    try log.subscribe()
    try log.notify([0x06, 60])
    try log.notify(AttributeValue(value))
    for rate in 60..<70 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.unresolved.values.reduce(0, +) == 12)
  }

  @Test func `values of a strap without a reading neither prove nor refute a handle`() async throws {
    try log.connect()
    try log.subscribe()
    try log.notify([0x06, 0])
    try log.notify([0x06, 255])
    try log.notify([0x04, 70])
    for rate in 60..<65 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.map { $0.bytes[1] } == [0, 255, 70, 60, 61, 62, 63, 64])
    #expect(replayed.tally.unresolved.isEmpty)
  }

  @Test func `a new configuration gives a rejected handle another chance`() async throws {
    try log.connect()
    try log.subscribe()
    try log.notify([0x06, 254])
    try log.subscribe()
    for rate in 60..<65 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.count == 5)
    #expect(replayed.tally.unresolved.values.reduce(0, +) == 1)
  }

  @Test func `values before the configuration are measurements too, once the handle is proven`() async throws
  {
    for rate in 60..<66 as Range<UInt8> { try log.notify([0x06, rate]) }
    try log.subscribe()
    for rate in 66..<80 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.map { $0.bytes[1] } == Array(60..<80))
    #expect(replayed.times == Array(0..<6) + Array(8..<22))
    #expect(replayed.tally.unresolved.isEmpty)
    #expect(replayed.tally.plausible.isEmpty)
    #expect(replayed.tally.inferred.count == 1)
  }

  @Test func `values before the declaration have the declared type, whatever they look like`() async throws {
    try log.connect()
    for value in [[0x06, 60], [0xE6, 61, 1, 2, 3], [0x06, 255]] as [[UInt8]] {
      try log.notify(AttributeValue(value))
      try log.notify([86], at: 0x20)
    }
    try log.declareMeasurement()
    try log.notify([0x06, 62])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.map { $0.bytes[1] } == [60, 61, 255, 62])
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: WrittenLog.strap, handle: 0x20): 3])
    #expect(replayed.tally.implausible == [UnresolvedHandle(peer: WrittenLog.strap, handle: 0x20): 3])
    #expect(replayed.tally.inferred.isEmpty)
  }

  @Test func `a handle that is declared as something else is resolved, and not a measurement`()
    async throws
  {
    try log.connect()
    for rate in 60..<66 as Range<UInt8> { try log.notify([0x06, rate], at: 0x14) }
    try log.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    try log.peer([0x09, 0x07, 0x13, 0x00, 0x10, 0x14, 0x00, 0x19, 0x2A])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.unresolved.isEmpty)
    #expect(replayed.tally.plausible.isEmpty)
  }

  @Test func `a later connection of the same peer identifies its handle in the one before`() async throws {
    try log.connect()
    try log.notify([0x06, 60])
    try log.notify([0x06, 61])
    try log.disconnect()
    try log.connect()
    try log.declareMeasurement()
    try log.notify([0x06, 62])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    let story = replayed.events.map { event in
      switch event {
      case .connected: "connected"
      case .disconnected: "disconnected"
      case .gapBegan(_, let cause, _): cause.rawValue
      case .notified(let notification): "\(notification.value.bytes[1])"
      default: "\(event)"
      }
    }
    // The values are delivered later than they were received, together with the other events of that time.
    #expect(
      story == [
        "connected", "link-loss", "disconnected", "connected", "60", "61", "link-loss", "disconnected",
        "connected", "62",
      ])
    #expect(replayed.tally.unresolved.isEmpty)
  }

  @Test func `values that look like a heart rate or not are counted for each handle`() async throws {
    // Values of a treadmill, with reserved bits and extra bytes, must not count as heart rates.
    for speed in 0..<8 as Range<UInt8> { try log.notify([0xE4, 90 + speed, 1, 2, 3], at: 0x21) }
    for rate in 60..<67 as Range<UInt8> { try log.notify([0x06, rate]) }
    try log.notify([0x06, 0])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    let treadmill = UnresolvedHandle(peer: nil, handle: 0x21)
    let strap = UnresolvedHandle(peer: nil, handle: 0x12)
    #expect(replayed.tally.unresolved == [treadmill: 8, strap: 8])
    #expect(replayed.tally.plausible == [strap: 7])
    #expect(replayed.tally.implausible == [treadmill: 8])
  }

  @Test func `implausible values of a handle that the caller specified are counted as such`()
    async throws
  {
    for speed in 0..<8 as Range<UInt8> { try log.notify([0xE4, 90 + speed, 1, 2, 3], at: 0x21) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish(), measurementHandle: 0x21))
    #expect(replayed.values.count == 8)
    #expect(
      replayed.tally.inferred == [
        InferredHandle(peer: nil, handle: 0x21, reason: .namedByCaller, implausible: 8)
      ])
  }

  @Test func `held values are limited, implausible ones are dropped first, and the counts stay exact`()
    async throws
  {
    let bound = MeasurementHandles.maximumHeld
    for number in 0..<bound {
      try log.notify([0xE4, 90, 1, 2, 3], at: 0x21)
      if number % 2 == 0 { try log.notify([0x06, 60]) }
    }
    try log.subscribe()
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.count == bound / 2)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x21): bound])

    let other = try WrittenLog()
    for _ in 0..<bound + 100 { try other.notify([0x06, 60]) }
    try other.subscribe()
    let long = try await Replayed(PacketReplayCentral(path: other.finish()))
    #expect(long.values.count == bound)
    #expect(long.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 100])
    #expect(long.tally.notifications == bound + 100)
  }

  @Test func `handles beyond the maximum are counted together`() async throws {
    for handle in 1...300 as ClosedRange<UInt16> { try log.notify([0x06, 60], at: handle) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.tally.unresolved.count == ReplayTally.unresolvedCapacity + 1)
    #expect(replayed.tally.unresolved[.others] == 300 - ReplayTally.unresolvedCapacity)
  }

  @Test func `attributes from an earlier log are used, and nothing is inferred`() async throws {
    try log.connect()
    try log.declareMeasurement()
    let later = try WrittenLog()
    try later.connect()
    try later.notify([0x06, 60])
    let memory = ReplayMemory()
    _ = try await Replayed(PacketReplayCentral(path: log.finish(), memory: memory))
    let path = try later.finish()
    let replayed = try await Replayed(PacketReplayCentral(path: path, memory: memory))
    #expect(replayed.values == [[0x06, 60]])
    #expect(replayed.tally.inferred.isEmpty)
    #expect(try await Replayed(PacketReplayCentral(path: path)).values.isEmpty)
  }

  @Test func `a declared handle is known, whatever the caller specifies`() async throws {
    try log.connect()
    try log.declareMeasurement()
    try log.notify([0x06, 60])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish(), measurementHandle: 0x30))
    #expect(replayed.values == [[0x06, 60]])
    #expect(replayed.tally.inferred.isEmpty)
  }
}
