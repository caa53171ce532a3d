import HealthKit
import HealthSystem
import Testing

@Suite struct CharacteristicsOfTheUserTests {
  @Test func `characteristics that the user entered are read`() async throws {
    try await withEachStore { system in
      try await system.setCharacteristic(.biologicalSex, to: HKBiologicalSex.female.rawValue)
      try await system.setCharacteristic(.bloodType, to: HKBloodType.abNegative.rawValue)
      try await system.setCharacteristic(.fitzpatrickSkinType, to: HKFitzpatrickSkinType.III.rawValue)
      try await system.setCharacteristic(.wheelchairUse, to: HKWheelchairUse.yes.rawValue)
      try await system.setCharacteristic(.activityMoveMode, to: HKActivityMoveMode.appleMoveTime.rawValue)
      try await system.setDateOfBirth(ActivityDay(year: 1980, month: 2, day: 29))
      let store = system.healthStore
      #expect(try store.biologicalSex().biologicalSex == .female)
      #expect(try store.bloodType().bloodType == .abNegative)
      #expect(try store.fitzpatrickSkinType().skinType == .III)
      #expect(try store.wheelchairUse().wheelchairUse == .yes)
      #expect(try store.activityMoveMode().activityMoveMode == .appleMoveTime)
      let birth = try store.dateOfBirthComponents()
      #expect([birth.year, birth.month, birth.day] == [1980, 2, 29])
      #expect(birth.calendar?.identifier == .gregorian)
    }
  }

  @Test func `a missing characteristic is not set`() throws {
    let store = try HKHealthStore.inMemory()
    #expect(try store.biologicalSex().biologicalSex == .notSet)
    #expect(try store.bloodType().bloodType == .notSet)
    #expect(try store.fitzpatrickSkinType().skinType == .notSet)
    #expect(try store.wheelchairUse().wheelchairUse == .notSet)
    #expect(try store.activityMoveMode().activityMoveMode == .activeEnergy)
    #expect {
      try store.dateOfBirthComponents()
    } throws: {
      ($0 as? HKError)?.code == .errorNoData
    }
  }

  @Test func `a characteristic can be removed`() async throws {
    let system = try SystemStore(HKHealthStore.inMemory())
    try await system.setCharacteristic(.bloodType, to: HKBloodType.oPositive.rawValue)
    try await system.setCharacteristic(.bloodType, to: HKBloodType.aPositive.rawValue)
    #expect(try system.healthStore.bloodType().bloodType == .aPositive)
    try await system.setCharacteristic(.bloodType, to: nil)
    #expect(try system.healthStore.bloodType().bloodType == .notSet)
  }

  @Test func `an invalid number counts as not set`() async throws {
    let system = try SystemStore(HKHealthStore.inMemory())
    try await system.setCharacteristic(.bloodType, to: 99)
    #expect(try system.healthStore.bloodType().bloodType == .notSet)
    try await system.setCharacteristic(.dateOfBirth, to: 1980_02_30)
    #expect {
      try system.healthStore.dateOfBirthComponents()
    } throws: {
      ($0 as? HKError)?.code == .errorNoData
    }
  }

  @Test func `an application can read the user's characteristics but not change them`() async throws {
    let store = try HKHealthStore.ofApplication()
    let type = HKCharacteristicType(.bloodType)
    try await SystemStore(store.acting(as: .default())).setPermission(
      share: true, read: true, on: [type], for: "org.example.recorder")
    await expectFailure(.errorAuthorizationDenied) {
      try await SystemStore(store).setCharacteristic(.bloodType, to: HKBloodType.oPositive.rawValue)
    }
    await expectFailure(.errorAuthorizationDenied) {
      try await SystemStore(store).setDateOfBirth(ActivityDay(year: 1980, month: 2, day: 29))
    }
    #expect(try store.bloodType().bloodType == .notSet)
  }
}
