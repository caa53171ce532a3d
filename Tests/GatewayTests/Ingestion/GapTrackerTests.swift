import Bluetooth
import HealthKit
import Testing

@testable import Ingestion

private func time(_ seconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000)
}

@Suite struct GapTrackerTests {
  @Test func `a gap lasts from the last frame before it to the first frame after it`() {
    var gaps = GapTracker()
    gaps.receive(at: time(1))
    gaps.receive(at: time(2))
    gaps.begin(.silence, at: time(7))
    #expect(gaps.drainChanges() == [GapDraft(start: time(2), cause: .silence)])
    #expect(gaps.cause == .silence)
    gaps.begin(.linkLoss, at: time(9))
    #expect(gaps.drainChanges().isEmpty)
    gaps.receive(at: time(20))
    #expect(gaps.drainChanges() == [GapDraft(start: time(2), end: time(20), cause: .silence)])
    #expect(gaps.cause == nil)
    gaps.receive(at: time(21))
    #expect(gaps.drainChanges().isEmpty)
  }

  @Test func `before the first frame only an expected strap has a gap`() {
    var stranger = GapTracker()
    stranger.begin(.linkLoss, at: time(5))
    stranger.receive(at: time(6))
    #expect(stranger.drainChanges().isEmpty)
    var followed = GapTracker(isExpected: true)
    followed.begin(.adapterOff, at: time(5))
    followed.receive(at: time(6))
    #expect(
      followed.drainChanges() == [
        GapDraft(start: time(5), cause: .adapterOff),
        GapDraft(start: time(5), end: time(6), cause: .adapterOff),
      ])
  }

  @Test func `a gap left open by an earlier run ends with the first frame and keeps its cause`() {
    var gaps = GapTracker(
      inherited: [GapDraft(start: time(2), cause: .gatewayStopped)], lastMeasurement: time(2),
      isExpected: true)
    #expect(gaps.cause == .gatewayStopped)
    gaps.begin(.linkLoss, at: time(10))
    #expect(gaps.drainChanges().isEmpty)
    gaps.receive(at: time(20))
    #expect(gaps.drainChanges() == [GapDraft(start: time(2), end: time(20), cause: .gatewayStopped)])
  }

  @Test func `a killed run leaves a gap that starts at its last commit`() {
    var gaps = GapTracker(lastMeasurement: time(3), isExpected: true)
    gaps.receive(at: time(8))
    #expect(gaps.drainChanges() == [GapDraft(start: time(3), end: time(8), cause: .gatewayStopped)])
  }

  @Test func `frames of a recording from before an open gap leave it open`() {
    var gaps = GapTracker(inherited: [GapDraft(start: time(100), cause: .linkLoss)])
    gaps.receive(at: time(1))
    gaps.begin(.closedByPeripheral, at: time(2))
    #expect(gaps.drainChanges() == [GapDraft(start: time(1), cause: .closedByPeripheral)])
    gaps.receive(at: time(4))
    gaps.receive(at: time(120))
    #expect(
      gaps.drainChanges() == [
        GapDraft(start: time(1), end: time(4), cause: .closedByPeripheral),
        GapDraft(start: time(100), end: time(120), cause: .linkLoss),
      ])
  }

  @Test func `a gap that starts after live frames ends with the first one, because the clock was set back`() {
    var gaps = GapTracker(
      inherited: [GapDraft(start: time(3600), cause: .gatewayStopped)], lastMeasurement: time(3600),
      isExpected: true)
    gaps.begin(.linkLoss, at: time(5))
    #expect(gaps.drainChanges().isEmpty && gaps.cause == .gatewayStopped)
    gaps.receive(at: time(10))
    #expect(gaps.drainChanges() == [GapDraft(start: time(3600), end: time(3600), cause: .gatewayStopped)])
    #expect(gaps.cause == nil && !gaps.isOpen)
    gaps.begin(.silence, at: time(20))
    gaps.receive(at: time(30))
    #expect(gaps.drainChanges().last == GapDraft(start: time(10), end: time(30), cause: .silence))
  }

  @Test func `if several gaps were left open, each ends where the next one starts`() {
    var gaps = GapTracker(inherited: [
      GapDraft(start: time(50), cause: .linkLoss), GapDraft(start: time(10), cause: .silence),
    ])
    gaps.receive(at: time(60))
    #expect(
      gaps.drainChanges() == [
        GapDraft(start: time(10), end: time(50), cause: .silence),
        GapDraft(start: time(50), end: time(60), cause: .linkLoss),
      ])
  }

  @Test func `frames that could not be stored are counted in their gap`() {
    var gaps = GapTracker()
    gaps.receive(at: time(1))
    for second in 2...5 { gaps.lose(.storeUnavailable, at: time(Int64(second))) }
    gaps.receive(at: time(6))
    #expect(
      gaps.drainChanges().last == GapDraft(start: time(1), end: time(6), cause: .storeUnavailable, lost: 4))
  }
}
