import Bluetooth
import Testing

@testable import TestSupport

private func decode(_ hex: String) throws -> (HeartRateMeasurement, [HeartRateMeasurement.Anomaly]) {
  let bytes = try #require([UInt8](hexadecimal: hex))
  var anomalies: [HeartRateMeasurement.Anomaly] = []
  let measurement = try HeartRateMeasurement(decoding: bytes.span.bytes) { anomalies.append($0) }
  return (measurement, anomalies)
}

@Suite struct HeartRateMeasurementTests {
  @Test func `an eight-bit value without other fields`() throws {
    let (measurement, anomalies) = try decode("0048")
    #expect(measurement == HeartRateMeasurement(heartRate: 72))
    #expect(anomalies.isEmpty)
  }

  @Test func `a sixteen-bit value`() throws {
    #expect(try decode("012c01").0.heartRate == 300)
  }

  @Test(arguments: [
    ("00", SensorContact.notSupported), ("02", .notSupported), ("04", .notDetected), ("06", .detected),
  ])
  func `the contact status counts only with the support bit`(flags: String, contact: SensorContact) throws {
    #expect(try decode(flags + "48").0.sensorContact == contact)
  }

  @Test func `the energy field moves the intervals by two bytes`() throws {
    let (measurement, _) = try decode("1e5532002100")
    #expect(measurement.energyExpended == 50)
    #expect(measurement.rrTicks == [33])
  }

  @Test func `a saturated energy counter can still be read`() throws {
    #expect(
      try decode("0848ffff").0.energyExpended == HeartRateMeasurement.saturatedEnergyExpended)
  }

  @Test func `more intervals than fit into the default MTU are in order`() throws {
    let ticks = (1...200).map(UInt16.init)
    let frame = HeartRateMeasurement(heartRate: 60, rrTicks: RRTicks(ticks)).encoded
    #expect(try HeartRateMeasurement(decoding: frame).rrTicks == RRTicks(ticks))
  }

  @Test func `reserved bits are ignored`() throws {
    let (measurement, anomalies) = try decode("e048")
    #expect(measurement.heartRate == 72)
    #expect(anomalies.isEmpty)
  }

  @Test(
    arguments: [
      ("0848", [.truncatedEnergyExpended]), ("084810", [.truncatedEnergyExpended]),
      ("1048", [.missingRRIntervals]), ("104801", [.missingRRIntervals, .oddTrailingByte]),
      ("1048010203", [.oddTrailingByte]), ("004801", [.oddTrailingByte]), ("00480102", [.unannouncedBytes]),
    ] as [(String, [HeartRateMeasurement.Anomaly])])
  func `a frame that deviates from its flags yields the valid fields`(
    hex: String, expected: [HeartRateMeasurement.Anomaly]
  ) throws {
    let (measurement, anomalies) = try decode(hex)
    #expect(measurement.heartRate == 72)
    #expect(anomalies == expected)
  }

  @Test func `an empty frame is a failure without bytes`() {
    #expect(throws: GATTDecodingError(.empty, characteristic: .heartRateMeasurement, bytes: [])) {
      try decode("")
    }
  }

  @Test(arguments: ["00", "01", "0148", "1f"])
  func `a frame that ends within the heart rate is a failure with its bytes`(hex: String) throws {
    let bytes = try #require([UInt8](hexadecimal: hex))
    #expect(throws: GATTDecodingError(.tooShort, characteristic: .heartRateMeasurement, bytes: bytes)) {
      try decode(hex)
    }
  }

  @Test func `each combination of fields decodes to what was encoded`() throws {
    for heartRate in [0, 1, 72, 255, 256, 300, 65535] as [UInt16] {
      for format in [.uint8, .uint16] as [HeartRateMeasurement.ValueFormat] {
        for contact in SensorContact.allCases {
          for energy in [nil, 0, 306, 0xFFFF] as [UInt16?] {
            for ticks in [[], [1024], [0, 65535], Array(700..<709)] as [[UInt16]] {
              let measurement = HeartRateMeasurement(
                heartRate: heartRate, valueFormat: format, sensorContact: contact, energyExpended: energy,
                rrTicks: RRTicks(ticks))
              let decoded = try measurement.encoded.withBytes { bytes throws(GATTDecodingError) in
                try HeartRateMeasurement(decoding: bytes) { Issue.record("anomaly \($0)") }
              }
              #expect(decoded == measurement)
            }
          }
        }
      }
    }
  }

  @Test func `each frame without anomalies and reserved bits encodes to itself`() throws {
    var generator = SeededGenerator(seed: 1)
    var exact = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      guard let (measurement, anomalies) = try? decode(bytes.hexadecimal), anomalies.isEmpty else { continue }
      var canonical = bytes
      canonical[0] &= 0b11111
      if canonical[0] & 0b100 == 0 { canonical[0] &= ~0b10 }
      #expect(measurement.encoded.bytes == canonical)
      exact += 1
    }
    #expect(exact > 1000)
  }

  @Test(arguments: [
    (HeartRateMeasurement(heartRate: 60), 9), (HeartRateMeasurement(heartRate: 60, energyExpended: 1), 8),
    (HeartRateMeasurement(heartRate: 256), 8), (HeartRateMeasurement(heartRate: 256, energyExpended: 1), 7),
  ])
  func `the number of intervals that fit into the default MTU`(measurement: HeartRateMeasurement, count: Int)
  {
    #expect(measurement.maximumRRCount(forMTU: 23) == count)
  }

  @Test(arguments: [
    ("0000", false), ("0001", true), ("00fe", true), ("00ff", false), ("010000", false), ("01ff00", true),
    ("01feff", true), ("01ffff", false),
  ])
  func `zero and the maximum of the format are not readings`(bytes: String, hasReading: Bool) throws {
    #expect(try decode(bytes).0.hasReading == hasReading)
  }
}
