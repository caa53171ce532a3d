import HealthKit
import Testing

@Suite struct StateOfMindTests {
  private func state(
    valence: Double = 0.25, date: Date = moment(), metadata: [String: Any]? = nil
  ) throws -> HKStateOfMind {
    try .validated(
      date: date, kind: .dailyMood, valence: valence, labels: [.satisfied, .calm], associations: [.work],
      metadata: metadata)
  }

  @Test func `a state of mind is an instant`() {
    let state = HKStateOfMind(
      date: moment(), kind: .momentaryEmotion, valence: -1, labels: [], associations: [.weather, .work])
    #expect(state.startDate == moment())
    #expect(state.endDate == moment())
    #expect(state.sampleType == .stateOfMindType())
    #expect(state.kind == .momentaryEmotion)
    #expect(state.valence == -1)
    #expect(state.labels == [])
    #expect(state.associations == [.weather, .work])
    #expect(state.metadata == nil)
  }

  @Test(
    arguments: [
      (-1, .veryUnpleasant), (-0.72, .veryUnpleasant), (-0.71, .unpleasant), (-0.52, .unpleasant),
      (-0.43, .unpleasant), (-0.42, .slightlyUnpleasant), (-0.15, .slightlyUnpleasant), (-0.14, .neutral),
      (0, .neutral), (0.14, .neutral), (0.15, .slightlyPleasant), (0.27, .slightlyPleasant),
      (0.42, .slightlyPleasant), (0.43, .pleasant), (0.5, .pleasant), (0.71, .pleasant),
      (0.72, .veryPleasant), (1, .veryPleasant),
    ] as [(Double, HKStateOfMind.ValenceClassification)])
  func `the seven ranges of valence have equal width`(
    valence: Double, band: HKStateOfMind.ValenceClassification
  ) throws {
    #expect(HKStateOfMind.ValenceClassification(valence: valence) == band)
    #expect(try state(valence: valence).valenceClassification == band)
  }

  @Test(arguments: [-1.000001, 1.000001, .infinity, -.infinity, .nan])
  func `a valence outside its range is rejected`(valence: Double) async {
    #expect(throws: HKValidationError.self) { try state(valence: valence) }
    #expect(HKStateOfMind.ValenceClassification(valence: valence) == nil)
  }

  @Test func `date and metadata are checked as for every sample`() throws {
    #expect(throws: HKValidationError.self) { try state(date: Date(timeIntervalSince1970: .nan)) }
    #expect(throws: HKValidationError.self) { try state(date: .distantFuture) }
    #expect(throws: HKValidationError.self) { try state(metadata: ["k": [1]]) }
    #expect(try state(metadata: ["k": "v"]).metadata?["k"] as? String == "v")
  }

  @Test func `the initializer traps if Apple's raises an exception`() async {
    await #expect(processExitsWith: .failure) {
      _ = HKStateOfMind(date: moment(), kind: .dailyMood, valence: 2, labels: [], associations: [])
    }
  }

  @Test func `all values can be archived`() throws {
    let state = try state(metadata: ["k": "v"])
    let found = try #require(try archived(state))
    #expect(found == state)
    #expect(found.kind == .dailyMood)
    #expect(found.valence == 0.25)
    #expect(found.valenceClassification == .slightlyPleasant)
    #expect(found.labels == [.satisfied, .calm])
    #expect(found.associations == [.work])
    #expect(found.metadata?["k"] as? String == "v")
    #expect(state.copy() as? HKStateOfMind === state)
  }

  @Test(arguments: [(0.25, 1.5), (38, 39), (2, 3)] as [(Double, Double)])
  func `an archive with invalid values is rejected`(old: Double, new: Double) throws {
    #expect(try isRefused(state(), replacing: NSNumber(value: old), with: NSNumber(value: new)))
    #expect(try isRefused(state(), replacing: NSNumber(value: old), with: "x" as NSString))
  }
}
