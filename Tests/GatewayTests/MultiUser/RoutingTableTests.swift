import BlueZ
import Bluetooth
import Foundation
import Testing

@testable import Gateway
@testable import TestSupport

private let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

/// Tests the routing of a shared central's events with random sequences of enrollments.
@Suite(.timeLimit(.minutes(30))) struct RoutingTableTests {
  /// Each strap measures the number of its wearer as its heart rate. A store must receive only the number of
  /// its own person.
  private struct World {
    var generator: SeededGenerator
    var routingTable = RoutingTable()
    let buffers: [EventBuffer]
    /// The straps that the central follows, and the events that it has not emitted yet.
    private var followed: [BluetoothAddress: Int] = [:]
    private var waiting: [CentralEvent] = []
    private var clock: Int64 = 0
    /// The number of measurements of each person.
    private(set) var given: [Int: Int] = [:]

    init(_ seed: UInt64, people: Int) {
      generator = SeededGenerator(seed: seed)
      buffers = (0..<people).map { _ in EventBuffer(capacity: 1_000_000) }
      for (number, buffer) in buffers.enumerated() {
        let now = SystemClocks(boottimeNanoseconds: 0, wall: begin)
        let terms = FollowingTerms(
          clock: ReceiptClock(boottimeNanoseconds: 0, wall: begin), gathering: .zero, report: { _ in },
          hear: { _ in })
        routingTable.clients[number] = RoutedClient(terms, buffer, timedBy: &routingTable.clock, at: now)
      }
    }

    private static func strap(_ number: Int) -> BluetoothAddress {
      BluetoothAddress(bits: 0xC0FF_EE00_0000 + UInt64(number), kind: .random)
    }

    private mutating func time() -> ReceiptTime {
      clock += 1
      return ReceiptTime(microsecondsSince1970: begin.microsecondsSince1970 + clock)
    }

    /// Enrolls a strap in the store of a person and removes it from all others, or only removes it if
    /// `person` is nil.
    mutating func enrol(_ strap: Int, _ person: Int?) {
      let address = Self.strap(strap)
      // A command also enrolls the strap in one store before it removes the strap from the other.
      if let person {
        let monitor = EnrolledMonitor(address: address, isBonded: false, enrolled: time())
        routingTable.clients[person]?.monitors.removeAll { $0.address == address }
        routingTable.clients[person]?.monitors.append(monitor)
      }
      if Bool.random(using: &generator) { updateCentral() }
      for number in routingTable.clients.keys where number != person {
        routingTable.clients[number]?.monitors.removeAll { $0.address == address }
      }
      if Bool.random(using: &generator) { updateCentral() }
    }

    mutating func updateCentral() {
      routingTable.assign()
      routingTable.isChanged = true
      routingTable.isUpdating = true
      while let change = routingTable.nextChange() {
        if !change.moved.isEmpty {
          follow(change.monitors.filter { !change.moved.contains($0.address) })
        }
        follow(change.monitors)
      }
    }

    /// Replaces the followed monitors. The wearer of a strap is the person for whom the strap is followed.
    private mutating func follow(_ monitors: [EnrolledMonitor]) {
      let wanted = Set(monitors.map(\.address))
      for address in followed.keys where !wanted.contains(address) {
        let peripheral = PeripheralIdentity.address(address)
        waiting += [.gapBegan(peripheral, .gatewayStopped, time()), .disconnected(peripheral, time())]
        waiting.append(.released(peripheral))
        followed[address] = nil
      }
      for address in wanted where followed[address] == nil {
        followed[address] = routingTable.sentHolders[address]
        waiting.append(.connected(.address(address), time()))
      }
    }

    mutating func measure() {
      for (address, person) in followed {
        waiting.append(
          .notified(
            ValueNotification(
              peripheral: .address(address), characteristic: .heartRateMeasurement,
              value: AttributeValue([0, UInt8(person)]), receiptTime: time())))
        given[person, default: 0] += 1
      }
    }

    /// Emits the given number of pending events.
    mutating func handOn(_ count: Int) {
      let events = Array(waiting.prefix(count))
      waiting.removeFirst(events.count)
      routingTable.deal(events)
    }

    mutating func handOnAll() { handOn(waiting.count) }
  }

  private static var seeds: Range<UInt64> { 0..<(isLongRun ? 20_000 : 300) }

  @Test func `each person gets all measurements of their straps, and no others`() async {
    for seed in Self.seeds {
      let people = 3
      var world = World(seed, people: people)
      for _ in 0..<60 {
        switch Int.random(in: 0..<4, using: &world.generator) {
        case 0:
          let person = Int.random(in: 0...people, using: &world.generator)
          world.enrol(Int.random(in: 1...3, using: &world.generator), person == people ? nil : person)
        case 1: world.updateCentral()
        case 2: world.measure()
        default: world.handOn(Int.random(in: 0..<8, using: &world.generator))
        }
      }
      world.updateCentral()
      world.measure()
      world.handOnAll()
      for (person, buffer) in world.buffers.enumerated() {
        buffer.finish()
        var got: [UInt8] = []
        while let events = await buffer.next() {
          for case .notified(let notification) in events { got.append(notification.value.bytes[1]) }
        }
        #expect(got.allSatisfy { Int($0) == person }, "seed \(seed), person \(person)")
        #expect(got.count == world.given[person] ?? 0, "seed \(seed), person \(person)")
      }
    }
  }
}
