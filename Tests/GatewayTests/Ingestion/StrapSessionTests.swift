import Bluetooth
import Testing

@testable import Ingestion

private let strap = PeripheralIdentity.address(BluetoothAddress(bits: 0xF00D_BEA7_0701, kind: .random))

private func time(_ seconds: Double) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_700_000_000_000_000 + Int64(seconds * 1e6))
}

/// Returns a session that knows the description of its strap, so it does not hold back the first frames.
private func describedSession() -> StrapSession {
  var session = StrapSession(strap)
  session.release()
  return session
}

extension StrapSession {
  fileprivate var heartRates: [UInt16] {
    ready.compactMap { if case .heartRate(let value, _, _, _) = $0 { value } else { nil } }
  }

  fileprivate var segments: [BeatSegment] {
    ready.compactMap { if case .beats(let segment, _) = $0 { segment } else { nil } }
  }

  /// The intervals of each finished series, and whether the series is marked as a possible copy.
  fileprivate var runs: [(intervals: [UInt16], mayBeCopy: Bool)] {
    ready.compactMap {
      if case .beats(let segment, let marks) = $0 { (segment.intervals, marks == .mayBeCopy) } else { nil }
    }
  }

  fileprivate var energies: [QuantityDraft] {
    ready.compactMap { if case .quantity(let draft, _) = $0 { draft } else { nil } }
  }

  fileprivate mutating func receive(_ measurement: HeartRateMeasurement, at seconds: Double) -> Rejection? {
    receive(measurement.encoded, at: time(seconds))
  }
}

@Suite struct StrapSessionTests {
  @Test func `a measurement becomes a heart rate at its receipt time`() {
    var session = describedSession()
    #expect(session.receive(HeartRateMeasurement(heartRate: 72), at: 1) == nil)
    guard case .heartRate(72, let at, let frame, _)? = session.ready.first else {
      Issue.record("no heart rate")
      return
    }
    #expect(at == time(1))
    #expect(frame == HeartRateMeasurement(heartRate: 72).encoded)
  }

  @Test func `intervals that may be copies are a separate series with a mark`() {
    var session = describedSession()
    for second in 1...3 {
      #expect(
        session.receive(HeartRateMeasurement(heartRate: 60, rrTicks: [1024]), at: Double(second)) == nil)
    }
    let copy = HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded
    #expect(session.receive(copy, at: time(3.01), marks: .mayBeCopy) == nil)
    #expect(session.receive(HeartRateMeasurement(heartRate: 60, rrTicks: [1000]), at: 4) == nil)
    // A possible copy without intervals does not end the series.
    let bare = HeartRateMeasurement(heartRate: 60).encoded
    #expect(session.receive(bare, at: time(4.5), marks: .mayBeCopy) == nil)
    #expect(session.receive(HeartRateMeasurement(heartRate: 60, rrTicks: [1001]), at: 5) == nil)
    session.disconnect()
    #expect(session.runs.map(\.intervals) == [[1024, 1024, 1024], [1024], [1000, 1001]])
    #expect(session.runs.map(\.mayBeCopy) == [false, true, false])
  }

  @Test(arguments: [GapCause.overflow, .silence])
  func `an overflow ends the series, because frames are missing, and silence does not`(cause: GapCause) {
    var session = describedSession()
    for second in 1...12 {
      #expect(
        session.receive(HeartRateMeasurement(heartRate: 60, rrTicks: [1024]), at: Double(second)) == nil)
    }
    session.beginGap(cause, at: time(14))
    // No frame arrives in second 13.
    for second in 14...16 {
      #expect(
        session.receive(HeartRateMeasurement(heartRate: 60, rrTicks: [1000]), at: Double(second)) == nil)
    }
    session.disconnect()
    let before = [UInt16](repeating: 1024, count: 12)
    let after = [UInt16](repeating: 1000, count: 3)
    #expect(session.runs.map(\.intervals) == (cause == .overflow ? [before, after] : [before + after]))
  }

  @Test func `implausible intervals are kept as sent, and counted`() {
    var session = describedSession()
    #expect(session.receive(HeartRateMeasurement(heartRate: 6, rrTicks: [0, 800]), at: 1) == nil)
    #expect(session.receive(HeartRateMeasurement(heartRate: 60, rrTicks: [65_535]), at: 2) == nil)
    #expect(session.receive(HeartRateMeasurement(heartRate: 300, rrTicks: [204, 10_240]), at: 3) == nil)
    session.disconnect()
    #expect(session.heartRates == [6, 60, 300])
    #expect(session.segments.flatMap(\.intervals) == [0, 800, 65_535, 204, 10_240])
    #expect(session.anomalies == ["implausibleInterval": 2])
  }

  @Test(
    arguments: [
      ([], Rejection.empty), ([0x00], .tooShort), ([0x01, 0x48], .tooShort),
      ([0x04, 0x48], .contactNotDetected),
      ([0x00, 0x00], .zeroHeartRate), ([0x06, 0x00], .zeroHeartRate),
      ([0x00, 0xFF], .implausibleHeartRate), ([0x16, 0xFF, 0x00, 0x04], .implausibleHeartRate),
      ([0x01, 0xFF, 0xFF], .implausibleHeartRate), ([0x01, 0x2D, 0x01], .implausibleHeartRate),
      ([0x00, 0x03], .implausibleHeartRate), ([0x01, 0x05, 0x00], .implausibleHeartRate),
    ] as [([UInt8], Rejection)])
  func `a frame without a valid heart rate is rejected for a reason`(frame: [UInt8], reason: Rejection) {
    var session = describedSession()
    #expect(session.receive(AttributeValue(frame), at: time(0)) == reason)
    #expect(session.ready.isEmpty)
    #expect(session.measurements == 1)
  }

  @Test(
    arguments: [
      ([0x00, 0x06], 6), ([0x00, 0xFE], 254), ([0x01, 0xFF, 0x00], 255), ([0x01, 0x2C, 0x01], 300),
    ] as [([UInt8], UInt16)])
  func `a heart rate at a limit is stored`(frame: [UInt8], heartRate: UInt16) {
    var session = describedSession()
    #expect(session.receive(AttributeValue(frame), at: time(0)) == nil)
    #expect(session.heartRates == [heartRate])
  }

  @Test(arguments: [-1, 253_402_300_800_000_000, Int64.max, Int64.min])
  func `a time that no sample can have is rejected`(microseconds: Int64) {
    var session = describedSession()
    let outcome = session.receive(
      HeartRateMeasurement(heartRate: 72, rrTicks: [800]).encoded,
      at: ReceiptTime(microsecondsSince1970: microseconds))
    #expect(outcome == .receiptTimeOutOfRange)
  }

  @Test func `lost contact ends the series`() {
    var session = describedSession()
    _ = session.receive(HeartRateMeasurement(heartRate: 72, rrTicks: [800, 810]), at: 1)
    _ = session.receive(
      HeartRateMeasurement(heartRate: 72, sensorContact: .notDetected, rrTicks: [500]), at: 2)
    #expect(session.segments.map(\.intervals) == [[800, 810]])
    _ = session.receive(HeartRateMeasurement(heartRate: 72, rrTicks: [820]), at: 3)
    session.disconnect()
    #expect(session.segments.map(\.intervals) == [[800, 810], [820]])
  }

  @Test func `an anomaly is counted and the heart rate kept`() {
    var session = describedSession()
    #expect(session.receive([0x10, 0x48, 0x01], at: time(0)) == nil)
    #expect(session.heartRates == [72])
    #expect(session.anomalies == ["missingRRIntervals": 1, "oddTrailingByte": 1])
  }

  @Test func `measurements wait for the description for at most a minute`() {
    var session = StrapSession(strap)
    _ = session.receive(HeartRateMeasurement(heartRate: 70), at: 0)
    _ = session.receive(HeartRateMeasurement(heartRate: 71), at: 59)
    #expect(session.ready.isEmpty)
    _ = session.receive(HeartRateMeasurement(heartRate: 72), at: 61)
    #expect(session.heartRates == [70, 71, 72])
  }

  @Test func `a complete description ends the wait`() {
    var session = StrapSession(strap)
    _ = session.receive(HeartRateMeasurement(heartRate: 70), at: 0)
    session.setName("Strap 1")
    for characteristic in DeviceInformationString.characteristics {
      session.learn(characteristic, DeviceInformationString("x").encoded)
    }
    #expect(session.ready.isEmpty)
    session.learn(.bodySensorLocation, BodySensorLocation.chest.encoded)
    #expect(session.heartRates == [70])
    #expect(session.description.sensorLocation == .chest)
  }

  @Test func `a strap that repeats its description in the next link changes nothing`() {
    var session = describedSession()
    func link(_ location: BodySensorLocation) -> Int {
      session.setName("Strap 1")
      session.learn(.manufacturerNameString, DeviceInformationString("x").encoded)
      session.learn(.bodySensorLocation, location.encoded)
      return session.description.revision
    }
    let first = link(.chest)
    #expect(link(.chest) == first)
    #expect(link(.wrist) == first + 1)
  }

  @Test func `the number of waiting measurements is limited, whatever their times are`() {
    var session = StrapSession(strap)
    for _ in 0...StrapSession.maximumWaiting {
      _ = session.receive(HeartRateMeasurement(heartRate: 70), at: 0)
    }
    #expect(session.heartRates.count == StrapSession.maximumWaiting + 1)
  }

  @Test func `a description that cannot be decoded is counted`() {
    var session = StrapSession(strap)
    session.learn(.bodySensorLocation, [9])
    #expect(session.anomalies == ["2a38.reservedValue": 1])
    #expect(session.description.sensorLocation == nil)
  }

  @Test func `energy is the difference of readings`() {
    var session = describedSession()
    for (total, at) in [(100, 0), (100, 10), (103, 20), (103, 30), (110, 40)] as [(UInt16, Double)] {
      _ = session.receive(HeartRateMeasurement(heartRate: 70, energyExpended: total), at: at)
    }
    #expect(
      session.energies == [
        QuantityDraft(kind: .energy, value: 3, start: time(10), end: time(20)),
        QuantityDraft(kind: .energy, value: 7, start: time(30), end: time(40)),
      ])
  }

  @Test func `a reset, a full counter and a new connection restart the energy count`() {
    var session = describedSession()
    func feed(_ total: UInt16, _ at: Double) {
      _ = session.receive(HeartRateMeasurement(heartRate: 70, energyExpended: total), at: at)
    }
    feed(500, 0)
    feed(2, 10)  // reset
    feed(5, 20)
    feed(0xFFFF, 30)
    feed(0xFFFF, 40)
    feed(7, 50)
    session.disconnect()
    session.release()
    feed(9, 60)
    feed(10, 70)
    #expect(session.energies.map(\.value) == [3, 1])
  }

  @Test func `a second connection without a disconnection joins nothing to the first`() {
    var session = describedSession()
    session.connect(at: time(0))
    for second in 0..<5 {
      _ = session.receive(
        HeartRateMeasurement(heartRate: 60, energyExpended: UInt16(100 + second), rrTicks: [1024]),
        at: Double(second))
    }
    session.connect(at: time(0))
    for second in 5..<10 {
      _ = session.receive(
        HeartRateMeasurement(heartRate: 60, energyExpended: UInt16(900 + second), rrTicks: [1024]),
        at: Double(second))
    }
    session.disconnect()
    #expect(session.segments.map(\.intervals.count) == [5, 5])
    #expect(session.energies.map(\.value).max() == 1)
  }

  @Test func `a time that a date cannot represent is rejected`() {
    var session = describedSession()
    let frame = HeartRateMeasurement(heartRate: 60).encoded
    for microseconds: Int64 in [-1, .min, 253_402_300_799_999_999, .max] {
      #expect(
        session.receive(frame, at: ReceiptTime(microsecondsSince1970: microseconds)) == .receiptTimeOutOfRange
      )
    }
    #expect(session.receive(frame, at: ReceiptTime(microsecondsSince1970: 253_402_300_798_999_999)) == nil)
  }

  @Test func `after the clock was set back, energy counts from the corrected time of the last reading`() {
    var session = describedSession()
    _ = session.receive(HeartRateMeasurement(heartRate: 60, energyExpended: 5), at: 86_401)
    session.endTimes()
    session.correct { _ in time(1) }
    _ = session.receive(HeartRateMeasurement(heartRate: 60, energyExpended: 7), at: 2)
    #expect(session.energies == [QuantityDraft(kind: .energy, value: 2, start: time(1), end: time(2))])
  }

  @Test func `a corrected time is no change of the strap's status`() {
    var session = describedSession()
    _ = session.receive(HeartRateMeasurement(heartRate: 60), at: 86_401)
    #expect(session.drainUpdates() != nil)
    session.correct { _ in time(1) }
    #expect(session.drainUpdates() == nil)
    _ = session.receive(HeartRateMeasurement(heartRate: 60), at: 2)
    #expect(session.drainUpdates() != nil)
  }
}
