import Bluetooth

import Testing

@testable import PacketReplay

/// Logs that begin when the discovery is long over.
@Suite struct MidConnectionTests {
  private let log: WrittenLog

  init() throws { log = try WrittenLog() }

  @Test func `without any sign of what a handle is, its values are counted and none is delivered`()
    async throws
  {
    for rate in 60..<70 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.notifications == 10)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 10])
    #expect(replayed.tally.inferred.isEmpty)
  }

  @Test func `the handle that the caller names is taken, and that is stated`() async throws {
    for rate in 60..<63 as Range<UInt8> {
      try log.notify([0x06, rate])
      try log.notify([86], at: 0x20)
    }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish(), measurementHandle: 0x12))
    #expect(replayed.values == [[0x06, 60], [0x06, 61], [0x06, 62]])
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x20): 3])
    #expect(replayed.tally.inferred == [InferredHandle(peer: nil, handle: 0x12, reason: .namedByCaller)])
  }

  @Test func `a configured handle is taken once five values in a row are sound, and none before is lost`()
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

  @Test func `four sound values are no proof`() async throws {
    try log.connect()
    try log.subscribe()
    for rate in 60..<64 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: WrittenLog.strap, handle: 0x12): 4])
  }

  @Test(
    arguments: [[], [0x06], [0x06, 5], [0x06, 255], [0x16, 60, 1], [0x06, 60, 1], [0x09, 60, 0]] as [[UInt8]])
  func `one value that no strap sends, and a configured handle is not taken`(value: [UInt8]) async throws {
    try log.connect()
    try log.subscribe()
    try log.notify([0x06, 60])
    try log.notify(AttributeValue(value))
    for rate in 60..<70 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.isEmpty)
    #expect(replayed.tally.unresolved.values.reduce(0, +) == 12)
  }

  @Test func `a strap that has not found the heart yet neither proves nor refutes`() async throws {
    try log.connect()
    try log.subscribe()
    try log.notify([0x06, 0])
    try log.notify([0x04, 70])
    for rate in 60..<65 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.map { $0.bytes[1] } == [0, 70, 60, 61, 62, 63, 64])
    #expect(replayed.tally.unresolved.isEmpty)
  }

  @Test func `a new configuration gives a refused handle another chance`() async throws {
    try log.connect()
    try log.subscribe()
    try log.notify([0x06, 255])
    try log.subscribe()
    for rate in 60..<65 as Range<UInt8> { try log.notify([0x06, rate]) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.values.count == 5)
    #expect(replayed.tally.unresolved.values.reduce(0, +) == 1)
  }

  @Test func `handles beyond as many as are told apart are counted together`() async throws {
    for handle in 1...300 as ClosedRange<UInt16> { try log.notify([0x06, 60], at: handle) }
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    #expect(replayed.tally.unresolved.count == ReplayTally.unresolvedCapacity + 1)
    #expect(replayed.tally.unresolved[.others] == 300 - ReplayTally.unresolvedCapacity)
  }

  @Test func `what an earlier log taught about the peer is used, and nothing is inferred`() async throws {
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

  @Test func `a declared handle is known, whatever the caller names`() async throws {
    try log.connect()
    try log.declareMeasurement()
    try log.notify([0x06, 60])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish(), measurementHandle: 0x30))
    #expect(replayed.values == [[0x06, 60]])
    #expect(replayed.tally.inferred.isEmpty)
  }
}
