import HealthKit
import Testing

@Suite struct ObjectTypeTests {
  @Test func typesOfOneIdentifierAreEqual() {
    #expect(HKQuantityType(.heartRate) == HKQuantityType(.heartRate))
    #expect(HKQuantityType(.heartRate) != HKQuantityType(.stepCount))
    #expect(Set([HKQuantityType(.heartRate), HKQuantityType(.heartRate)]).count == 1)
    #expect(HKObjectType.quantityType(forIdentifier: .heartRate) == HKQuantityType(.heartRate))
    #expect(HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: "x")) == nil)
    #expect(HKObjectType.seriesType(forIdentifier: HKDataTypeIdentifierHeartbeatSeries) == .heartbeat())
    #expect(HKObjectType.seriesType(forIdentifier: "x") == nil)
  }

  @Test func `the table has the unit and style of each type`() {
    #expect(HKQuantityType(.heartRate).identifier == "HKQuantityTypeIdentifierHeartRate")
    #expect(HKQuantityType(.heartRate).aggregationStyle == .discreteTemporallyWeighted)
    #expect(HKQuantityType(.stepCount).aggregationStyle == .cumulative)
    #expect(HKQuantityType(.bodyMass).aggregationStyle == .discreteArithmetic)
    #expect(
      HKQuantityType(.environmentalAudioExposure).aggregationStyle == .discreteEquivalentContinuousLevel)
    #expect(HKQuantityType(.heartRate).is(compatibleWith: beatsPerMinute))
    #expect(!HKQuantityType(.heartRate).is(compatibleWith: .count()))
    #expect(HKQuantityType(.vo2Max).is(compatibleWith: HKUnit(from: "mL/min·kg")))
  }

  @Test func anUnknownIdentifierTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = HKQuantityType(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierNone"))
    }
  }

  @Test func rawStringsThatDifferFromTheirConstants() {
    #expect(HKMetadataKeyHeartRateSensorLocation == "HKHeartRateSensorLocation")
    #expect(HKMetadataKeySyncIdentifier == "HKMetadataKeySyncIdentifier")
    #expect(HKMetadataKeyHeartRateMotionContext == "HKMetadataKeyHeartRateMotionContext")
    #expect(HKHeartRateSensorLocation.chest.rawValue == 1)
  }
}
