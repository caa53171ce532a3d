import HealthKit
import Testing

@Suite struct CharacteristicsOfTheUserTests {
  @Test(arguments: StoreDepth.allCases)
  func whatTheUserSaidIsRead(_ depth: StoreDepth) async throws {
    try await depth.withStore { store in
      try await store.setCharacteristic(.biologicalSex, to: HKBiologicalSex.female.rawValue)
      try await store.setCharacteristic(.bloodType, to: HKBloodType.abNegative.rawValue)
      try await store.setCharacteristic(.fitzpatrickSkinType, to: HKFitzpatrickSkinType.III.rawValue)
      try await store.setCharacteristic(.wheelchairUse, to: HKWheelchairUse.yes.rawValue)
      try await store.setCharacteristic(.activityMoveMode, to: HKActivityMoveMode.appleMoveTime.rawValue)
      try await store.setDateOfBirth(ActivityDay(year: 1980, month: 2, day: 29))
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

  @Test func whatTheUserDidNotSayIsNotSet() throws {
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

  @Test func whatWasSaidCanBeTakenBack() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.setCharacteristic(.bloodType, to: HKBloodType.oPositive.rawValue)
    try await store.setCharacteristic(.bloodType, to: HKBloodType.aPositive.rawValue)
    #expect(try store.bloodType().bloodType == .aPositive)
    try await store.setCharacteristic(.bloodType, to: nil)
    #expect(try store.bloodType().bloodType == .notSet)
  }

  @Test func aNumberThatMeansNothingIsNotSet() async throws {
    let store = try HKHealthStore.inMemory()
    try await store.setCharacteristic(.bloodType, to: 99)
    #expect(try store.bloodType().bloodType == .notSet)
    try await store.setCharacteristic(.dateOfBirth, to: 1980_02_30)
    #expect {
      try store.dateOfBirthComponents()
    } throws: {
      ($0 as? HKError)?.code == .errorNoData
    }
  }

  @Test func `an application reads what the user said and cannot change it`() async throws {
    try await StoreDepth.memory.withApplication { application in
      try await application.decide(share: true, read: true, HKCharacteristicType(.bloodType))
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.setCharacteristic(.bloodType, to: HKBloodType.oPositive.rawValue)
      }
      await expectFailure(.errorAuthorizationDenied) {
        try await application.store.setDateOfBirth(ActivityDay(year: 1980, month: 2, day: 29))
      }
      #expect(try application.store.bloodType().bloodType == .notSet)
    }
  }
}
