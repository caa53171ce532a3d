import Bluetooth
import Testing

@testable import Ingestion

@Suite struct IntervalRatioTests {
  /// - Parameters:
  ///   - unit: The strap's interval units per second, 1024 by specification.
  ///   - lost: Returns whether the frame of a second is lost.
  private func ratio(
    seconds: Int, unit: Double = 1024, laterUnit: Double? = nil,
    declared: MonitorSettings.IntervalUnit = .standard,
    interval: Double = 0.87, interruptedAt: Set<Int> = [],
    lost: (Int) -> Bool = { _ in false }
  ) -> Double? {
    var ratio = IntervalRatio(intervalUnit: declared)
    var beat = 0.0
    for second in 0..<seconds {
      var frame: [UInt16] = []
      while beat + interval <= Double(second) {
        beat += interval
        let unit = second < seconds / 2 ? unit : laterUnit ?? unit
        frame.append(UInt16((interval * unit).rounded()))
      }
      if interruptedAt.contains(second) { ratio.interrupt() }
      let delay = Int64(second * 7919 % 90_000)
      guard !lost(second) else { continue }
      ratio.receive(frame.span, at: ReceiptTime(microsecondsSince1970: Int64(second) * 1_000_000 + delay))
    }
    return ratio.deviation
  }

  @Test func `milliseconds are detected within minutes, also across interruptions`() throws {
    #expect(ratio(seconds: 120, unit: 1000) == nil)
    let found = try #require(ratio(seconds: 300, unit: 1000))
    #expect(abs(found - 1000.0 / 1024) < 0.004)
    #expect(ratio(seconds: 1200, unit: 1000, interruptedAt: [200, 430, 431, 800]) != nil)
    // If interruptions leave only periods of 50 s, the unit cannot be determined.
    #expect(ratio(seconds: 1200, unit: 1000, interruptedAt: Set(stride(from: 0, to: 1200, by: 50))) == nil)
  }

  /// The unit of a strap can change: by a firmware update, or because another strap has the same address.
  @Test func `only the last ten minutes count`() throws {
    for hours in 1...3 {
      let wrongNow = try #require(ratio(seconds: 7200 * hours, laterUnit: 1000))
      #expect(abs(wrongNow - 1000.0 / 1024) < 0.004)
      #expect(ratio(seconds: 7200 * hours, unit: 1000, laterUnit: 1024) == nil)
    }
    #expect(ratio(seconds: 1300, unit: 1000, laterUnit: 1024) == nil)
    // Interrupt the strap every 90 seconds.
    let interruptions = Set(stride(from: 0, to: 7200, by: 90))
    #expect(ratio(seconds: 7200, unit: 1000, laterUnit: 1024, interruptedAt: interruptions) == nil)
    #expect(ratio(seconds: 7200, laterUnit: 1000, interruptedAt: interruptions) != nil)
  }

  @Test(arguments: [0.35, 0.6, 0.87, 1.3, 1.9])
  func `ticks are never a deviation, whatever the heart rate`(interval: Double) {
    for seconds in [200, 600, 3600] { #expect(ratio(seconds: seconds, interval: interval) == nil) }
  }

  @Test func `an occasional lost frame is no deviation, and one in twenty is`() throws {
    #expect(ratio(seconds: 3600) { $0 % 900 == 450 } == nil)
    let found = try #require(ratio(seconds: 600) { $0 % 20 == 10 })
    #expect(found < 0.97)
  }

  @Test(arguments: [(1000.0, MonitorSettings.IntervalUnit.milliseconds, false), (1024, .milliseconds, true)])
  func `intervals are compared with the declared unit`(
    sent: Double, declared: MonitorSettings.IntervalUnit, isReported: Bool
  ) {
    #expect((ratio(seconds: 600, unit: sent, declared: declared) != nil) == isReported)
  }

  @Test func `frames that were queued are no deviation`() {
    var ratio = IntervalRatio()
    for second in 0..<400 {
      let receipt = ReceiptTime(microsecondsSince1970: Int64(max(second, 60)) * 1_000_000)
      ratio.receive([UInt16(1024)].span, at: receipt)
    }
    #expect(ratio.deviation == nil)
  }

  @Test func `repeated intervals have a ratio above one`() throws {
    var ratio = IntervalRatio()
    for second in 0..<300 {
      let frame: [UInt16] = [1229]
      ratio.receive(frame.span, at: ReceiptTime(microsecondsSince1970: Int64(second) * 1_000_000))
    }
    #expect(try #require(ratio.deviation) > 1.19)
  }
}
