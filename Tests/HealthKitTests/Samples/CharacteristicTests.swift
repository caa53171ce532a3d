import HealthKit
import Testing

@Suite struct CharacteristicTests {
  @Test func `a missing value is notSet`() {
    #expect(HKBiologicalSexObject().biologicalSex == .notSet)
    #expect(HKBloodTypeObject().bloodType == .notSet)
    #expect(HKFitzpatrickSkinTypeObject().skinType == .notSet)
    #expect(HKWheelchairUseObject().wheelchairUse == .notSet)
    #expect(HKActivityMoveModeObject().activityMoveMode == .activeEnergy)
  }

  @Test func equalIfTheValuesAre() {
    #expect(HKBiologicalSexObject(.female) == HKBiologicalSexObject(.female))
    #expect(HKBiologicalSexObject(.female) != HKBiologicalSexObject(.male))
    #expect(
      Set([HKBloodTypeObject(.aPositive), HKBloodTypeObject(.aPositive), HKBloodTypeObject()]).count == 2)
    #expect(HKFitzpatrickSkinTypeObject(.II) != HKFitzpatrickSkinTypeObject(.III))
    #expect(HKWheelchairUseObject(.yes) != HKWheelchairUseObject(.no))
    #expect(HKActivityMoveModeObject(.appleMoveTime) != HKActivityMoveModeObject())
    #expect(HKBiologicalSexObject().isEqual(HKBloodTypeObject()) == false)
  }

  @Test func `each object can be archived and copied`() throws {
    #expect(try archived(HKBiologicalSexObject(.other)) == HKBiologicalSexObject(.other))
    #expect(try archived(HKBloodTypeObject(.abNegative)) == HKBloodTypeObject(.abNegative))
    #expect(try archived(HKFitzpatrickSkinTypeObject(.VI)) == HKFitzpatrickSkinTypeObject(.VI))
    #expect(try archived(HKWheelchairUseObject(.yes)) == HKWheelchairUseObject(.yes))
    #expect(
      try archived(HKActivityMoveModeObject(.appleMoveTime))
        == HKActivityMoveModeObject(.appleMoveTime))
    #expect(HKBloodTypeObject(.oPositive).copy() as? HKBloodTypeObject == HKBloodTypeObject(.oPositive))
  }

  @Test func `an archive with an unknown value is rejected`() throws {
    for value in [99, -1, "text", Data()] as [Any] {
      #expect(try readTampered(HKBloodTypeObject(.oPositive), ["value": value]) == nil)
    }
    #expect(try readTampered(HKBiologicalSexObject(.male), ["value": 4]) == nil)
    #expect(try readTampered(HKBiologicalSexObject(.male), ["value": nil]) == nil)
  }

  /// A subclass as in test doubles.
  private final class AlwaysMale: HKBiologicalSexObject, @unchecked Sendable {
    // @unchecked: has no state.
    override var biologicalSex: HKBiologicalSex { .male }
  }

  @Test func `a subclass can override the value`() {
    #expect(AlwaysMale().biologicalSex == .male)
    #expect(AlwaysMale() == HKBiologicalSexObject(.male))
  }
}
