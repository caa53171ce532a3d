import Bluetooth
import Foundation
import Testing

@testable import TestSupport

/// One payload of `Recordings/heart-rate-measurements.json`, with the result of other decoders.
private struct FieldMeasurement: Decodable, Sendable {
  var hex: String
  var bpm: UInt16?
  var contact: Bool?
  var energy: UInt16?
  var rr: [UInt16]?
  var error: String?
}

@Suite struct FieldMeasurementTests {
  @Test func `each payload from the field decodes as stated`() throws {
    let vectors = try JSONDecoder().decode(
      [FieldMeasurement].self, from: Data(Recordings.bytes("heart-rate-measurements.json")))
    #expect(vectors.count == 42)
    for vector in vectors {
      let bytes = try #require([UInt8](hexadecimal: vector.hex))
      guard vector.error == nil else {
        #expect(deviates(bytes), "\(vector.hex)")
        continue
      }
      let measurement = try HeartRateMeasurement(decoding: AttributeValue(bytes))
      #expect(measurement.heartRate == vector.bpm, "\(vector.hex)")
      #expect(measurement.sensorContact == contact(vector.contact), "\(vector.hex)")
      #expect(measurement.energyExpended == vector.energy, "\(vector.hex)")
      #expect(vector.rr.map { RRTicks($0) } == measurement.rrTicks, "\(vector.hex)")
    }
  }

  /// Returns whether decoding fails or reports an anomaly, as for the two invalid payloads in the file.
  private func deviates(_ bytes: [UInt8]) -> Bool {
    var anomalies = 0
    let measurement = try? HeartRateMeasurement(decoding: bytes.span.bytes) { _ in anomalies += 1 }
    return measurement == nil || anomalies > 0
  }

  private func contact(_ flag: Bool?) -> SensorContact {
    switch flag {
    case nil: .notSupported
    case false?: .notDetected
    case true?: .detected
    }
  }
}
