import BlueZ
import Bluetooth
import Gateway
import StrapSimulator

/// Simulated straps that a gateway follows in real time, like monitors of an adapter.
///
/// Only enrolled straps send. Each event has the time at which it is due and not that of its delivery, so
/// times are exact on a busy machine too.
actor SimulatedStraps: FollowingCentral {
  /// Maximum delay of an event in nanoseconds. Later measurements are lost, like the measurements that a
  /// real strap sends while the machine sleeps.
  private static let longestDelay: UInt64 = 10_000_000_000

  private struct Followed {
    var task: Task<Void, Never>
    var link = StrapEvents.Link.advertising
    var isLosing = false
  }

  private let straps: [BluetoothAddress: StrapProfile]
  private let seed: UInt64
  private let report: @Sendable (FollowStatus) -> Void
  private var clock: ReceiptClock
  private var followed: [BluetoothAddress: Followed] = [:]
  private nonisolated let stream: AsyncThrowingStream<[CentralEvent], any Error>
  private let output: AsyncThrowingStream<[CentralEvent], any Error>.Continuation
  private let end = AsyncStream.makeStream(of: Void.self)

  /// Creates straps that are switched on when they are followed.
  /// - Parameter seed: The seed for all random behavior of hearts and radio.
  init(_ straps: [StrapProfile], seed: UInt64, on terms: FollowingTerms) {
    self.straps = Dictionary(straps.map { ($0.address, $0) }) { $1 }
    self.seed = seed
    report = terms.report
    clock = terms.clock
    (stream, output) = AsyncThrowingStream.makeStream(of: [CentralEvent].self)
  }

  nonisolated func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }

  func follow(_ monitors: [EnrolledMonitor]) {
    let wanted = Set(monitors.map(\.address))
    for address in followed.keys where !wanted.contains(address) { release(address) }
    for address in wanted where followed[address] == nil {
      guard let strap = straps[address] else {
        report(FollowStatus(monitor: address, state: .searching))
        continue
      }
      report(FollowStatus(monitor: address, state: .away))
      followed[address] = Followed(task: Task { await send(strap) })
    }
  }

  func run() async {
    for await _ in end.stream {}
  }

  func stop() {
    for strap in followed.values { strap.task.cancel() }
    followed.removeAll()
    output.finish()
    end.continuation.finish()
  }

  // MARK: - One strap

  private func send(_ strap: StrapProfile) async {
    var events = StrapEvents(strap, seed: seed ^ strap.address.bits)
    let (start, boot) = (ContinuousClock.now, SystemClocks.now().boottimeNanoseconds)
    while let event = events.next() {
      do {
        try await Task.sleep(until: start + .seconds(event.offset), clock: .continuous)
      } catch {
        return
      }
      guard !Task.isCancelled else { return }
      deliver(event, of: strap.address, due: boot + UInt64(event.offset * 1e9))
    }
  }

  private func deliver(_ event: StrapEvents.Event, of address: BluetoothAddress, due: UInt64) {
    let now = SystemClocks.now()
    followClock(now)
    let isLate = now.boottimeNanoseconds > due + Self.longestDelay
    let (link, wasLosing) = (followed[address]?.link, followed[address]?.isLosing ?? false)
    if event.link == .subscribed {
      followed[address]?.isLosing = isLate
      if isLate {
        if !wasLosing { output.yield([.gapBegan(.address(address), .suspended, time(due))]) }
        return
      }
    }
    let events = event.centralEvents(at: time(isLate ? now.boottimeNanoseconds : due))
    if !events.isEmpty { output.yield(events) }
    guard event.link != link else { return }
    followed[address]?.link = event.link
    let state: FollowState =
      switch event.link {
      case .advertising: .away
      case .connected: .resolving
      case .subscribed: .following
      }
    report(FollowStatus(monitor: address, state: state))
  }

  private func release(_ address: BluetoothAddress) {
    guard let strap = followed.removeValue(forKey: address) else { return }
    strap.task.cancel()
    let time = time(SystemClocks.now().boottimeNanoseconds)
    let peripheral = PeripheralIdentity.address(address)
    if strap.link != .advertising {
      output.yield([.gapBegan(peripheral, .closedByHost, time), .disconnected(peripheral, time)])
    }
    output.yield([.released(peripheral)])
  }

  // MARK: - The clock

  /// Follows the wall clock, and reports if it was set.
  private func followClock(_ now: SystemClocks) {
    let reading = clock.receiptTime(
      boottimeNanoseconds: now.boottimeNanoseconds, wallNow: now.wall,
      boottimeNow: now.boottimeNanoseconds)
    guard let step = reading.step else { return }
    if step > .zero {
      output.yield(followed.keys.map { .gapBegan(.address($0), .clockStep, reading.time) })
    }
    if max(step, .zero - step) > .microseconds(ReceiptClock.leastSetting) {
      output.yield([.clockSet(clock.setting, reading.time)])
    }
  }

  private func time(_ boottimeNanoseconds: UInt64) -> ReceiptTime {
    ReceiptTime(
      microsecondsSince1970: clock.origin.microsecondsSince1970 + Int64(boottimeNanoseconds / 1000))
  }
}
