import HealthKit
import Testing

@Suite struct AudiogramTests {
  private func hertz(_ value: Double) -> HKQuantity { HKQuantity(unit: .hertz(), doubleValue: value) }

  private func level(_ value: Double) -> HKQuantity {
    HKQuantity(unit: .decibelHearingLevel(), doubleValue: value)
  }

  private func test(
    _ sensitivity: HKQuantity, side: HKAudiogramSensitivityTestSide = .left,
    clampingRange: HKAudiogramSensitivityPointClampingRange? = nil
  ) throws -> HKAudiogramSensitivityTest {
    try HKAudiogramSensitivityTest(
      sensitivity: sensitivity, type: .air, masked: true, side: side, clampingRange: clampingRange)
  }

  private func point(_ frequency: Double) throws -> HKAudiogramSensitivityPoint {
    try HKAudiogramSensitivityPoint(frequency: hertz(frequency), tests: [test(level(20))])
  }

  private func audiogram(
    _ frequencies: [Double], start: Date = moment(), end: Date = moment(60), metadata: [String: Any]? = nil
  ) throws -> HKAudiogramSample {
    try .validated(
      sensitivityPoints: frequencies.map(point), start: start, end: end, metadata: metadata)
  }

  // MARK: - Clamping ranges

  @Test func `a clamping range has at least one bound, and the lower one is less`() throws {
    #expect(try HKAudiogramSensitivityPointClampingRange(lowerBound: -10, upperBound: nil).upperBound == nil)
    #expect(try HKAudiogramSensitivityPointClampingRange(lowerBound: nil, upperBound: 85).lowerBound == nil)
    let both = try HKAudiogramSensitivityPointClampingRange(lowerBound: -10, upperBound: 85)
    #expect(both.lowerBound == level(-10))
    #expect(both.upperBound == level(85))
    for (lower, upper) in [(nil, nil), (85, -10), (5, 5), (nil, .nan), (-.infinity, 5)]
      as [(Double?, Double?)]
    {
      #expect {
        try HKAudiogramSensitivityPointClampingRange(
          lowerBound: lower.map { NSNumber(value: $0) }, upperBound: upper.map { NSNumber(value: $0) })
      } throws: { isInvalidArgument($0) }
    }
  }

  // MARK: - Tests

  @Test func `a test keeps its values`() throws {
    let range = try HKAudiogramSensitivityPointClampingRange(lowerBound: -10, upperBound: 85)
    let test = try test(level(30), side: .right, clampingRange: range)
    #expect(test.sensitivity == level(30))
    #expect(test.type == .air)
    #expect(test.masked)
    #expect(test.side == .right)
    #expect(test.clampingRange == range)
  }

  @Test func `a sensitivity is a finite hearing level`() {
    for quantity in [
      HKQuantity(unit: .decibelAWeightedSoundPressureLevel(), doubleValue: 20), level(.nan), level(.infinity),
    ] {
      #expect { try test(quantity) } throws: { isInvalidArgument($0) }
    }
  }

  // MARK: - Points

  @Test func `a frequency is positive and in hertz`() {
    for quantity in [level(20), hertz(0), hertz(-1000), hertz(.nan), hertz(.infinity)] {
      #expect {
        try HKAudiogramSensitivityPoint(frequency: quantity, tests: [])
      } throws: { isInvalidArgument($0) }
    }
  }

  @Test func `a point for two ears has a test for each`() throws {
    let point = try HKAudiogramSensitivityPoint(
      frequency: HKQuantity(unit: .hertzUnit(with: .kilo), doubleValue: 1), leftEarSensitivity: level(10),
      rightEarSensitivity: level(20))
    #expect(point.frequency == hertz(1000))
    #expect(point.leftEarSensitivity == level(10))
    #expect(point.rightEarSensitivity == level(20))
    #expect(point.tests.map(\.side) == [.left, .right])
    #expect(point.tests.allSatisfy { !$0.masked && $0.type == .air && $0.clampingRange == nil })
  }

  @Test func `a point for one ear has one test`() throws {
    let point = try HKAudiogramSensitivityPoint(
      frequency: hertz(1000), leftEarSensitivity: nil, rightEarSensitivity: level(20))
    #expect(point.leftEarSensitivity == nil)
    #expect(point.tests.count == 1)
    #expect {
      try HKAudiogramSensitivityPoint(
        frequency: hertz(1000), leftEarSensitivity: hertz(1), rightEarSensitivity: nil)
    } throws: { isInvalidArgument($0) }
  }

  @Test func `objects with equal values are equal`() throws {
    #expect(try point(1000) == point(1000))
    #expect(try point(1000).hash == point(1000).hash)
    #expect(try point(1000) != point(2000))
    #expect(try test(level(20)) == test(level(20)))
    #expect(try test(level(20)) != test(level(20), side: .right))
    let range = try HKAudiogramSensitivityPointClampingRange(lowerBound: 0, upperBound: nil)
    #expect(try test(level(20)) != test(level(20), clampingRange: range))
    #expect(try range == HKAudiogramSensitivityPointClampingRange(lowerBound: 0, upperBound: nil))
    #expect(try range != HKAudiogramSensitivityPointClampingRange(lowerBound: 0, upperBound: 1))
  }

  // MARK: - Audiograms

  @Test func `both initializers create an audiogram`() throws {
    let device = HKDevice(
      name: "Audiometer", manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
      softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    let points = try [point(250), point(500)]
    let new = HKAudiogramSample(
      sensitivityPoints: points, start: moment(), end: moment(60), device: device, metadata: ["k": 1])
    #expect(new.sensitivityPoints == points)
    #expect(new.sampleType == .audiogramSampleType())
    #expect(new.device == device)
    #expect(new.endDate == moment(60))
    let old = HKAudiogramSample(
      sensitivityPoints: points, start: moment(), end: moment(60), metadata: ["k": 1])
    #expect(old.device == nil)
    #expect(old.metadata?.count == 1)
    #expect(old != new)
  }

  @Test func oneToThirtyPointsAreAccepted() throws {
    let frequencies = (1...31).map { Double($0) * 250 }
    #expect(try audiogram([250]).sensitivityPoints.count == 1)
    #expect(try audiogram(frequencies.dropLast()).sensitivityPoints.count == 30)
    #expect(throws: HKValidationError.self) { try audiogram(frequencies) }
    #expect(throws: HKValidationError.self) { try audiogram([]) }
  }

  @Test func `frequencies are unique and ascending in any unit`() throws {
    #expect(throws: HKValidationError.self) { try audiogram([500, 250]) }
    #expect(throws: HKValidationError.self) { try audiogram([250, 500, 500]) }
    let kilohertz = try HKAudiogramSensitivityPoint(
      frequency: HKQuantity(unit: .hertzUnit(with: .kilo), doubleValue: 1), tests: [])
    #expect(throws: HKValidationError.self) {
      try HKAudiogramSample.validated(
        sensitivityPoints: [kilohertz, point(500)], start: moment(), end: moment())
    }
  }

  @Test func `dates and metadata are checked as for every sample`() {
    #expect(throws: HKValidationError.self) { try audiogram([250], start: moment(61)) }
    #expect(throws: HKValidationError.self) { try audiogram([250], metadata: ["k": [1]]) }
  }

  @Test func `the initializer traps if Apple's raises an exception`() async {
    await #expect(processExitsWith: .failure) {
      _ = HKAudiogramSample(sensitivityPoints: [], start: moment(), end: moment(), metadata: nil)
    }
  }

  // MARK: - Archives

  @Test func `all values can be archived`() throws {
    let range = try HKAudiogramSensitivityPointClampingRange(lowerBound: nil, upperBound: 85)
    let point = try HKAudiogramSensitivityPoint(
      frequency: hertz(4000), tests: [test(level(20), clampingRange: range), test(level(25), side: .right)])
    #expect(try archived(range) == range)
    #expect(try archived(point.tests[0]) == point.tests[0])
    #expect(try archived(point) == point)
    let audiogram = try HKAudiogramSample.validated(
      sensitivityPoints: [point], start: moment(), end: moment(60), metadata: ["k": "v"])
    let found = try #require(try archived(audiogram))
    #expect(found == audiogram)
    #expect(found.sensitivityPoints == [point])
    #expect(found.metadata?["k"] as? String == "v")
    #expect(range.copy() as? HKAudiogramSensitivityPointClampingRange === range)
    #expect(point.tests[0].copy() as? HKAudiogramSensitivityTest === point.tests[0])
  }

  @Test func `an archive with invalid values is rejected`() throws {
    let range = try HKAudiogramSensitivityPointClampingRange(lowerBound: -11, upperBound: 86)
    #expect(try isRefused(range, replacing: NSNumber(value: 86.0), with: NSNumber(value: -12.0)))
    let test = try test(level(21), side: .right)
    #expect(try isRefused(test, replacing: "dBHL" as NSString, with: "Hz" as NSString))
    #expect(try isRefused(test, replacing: NSNumber(value: 1), with: NSNumber(value: 2)))
    let audiogram = try audiogram([250, 500])
    #expect(try isRefused(audiogram, replacing: "Hz" as NSString, with: "m" as NSString))
  }
}
